import { type HelmChart, release } from "./helm-chart.ts";
import { base } from "./values/base-values.ts";
import { refusedValues } from "./values/refused-values.ts";
import { type RenderedValues, renderedValues } from "./values/rendered-values.ts";

/** Returns the cases in which the chart renders values that it must refuse, or refuses them with another message. */
export async function wronglyAccepted(chart: HelmChart, folder: string): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [name, values, message, kinds = []] of refusedValues) {
    const refusal = await chart.renderValues({ ...base, ...values }, folder, kinds).then(
      () => "rendered",
      (error: unknown) => String(error),
    );
    if (!refusal.includes(message)) problems.push(`${name}: expected "${message}", got: ${refusal}`);
  }
  return problems;
}

/** Returns the parts that are missing from what the chart renders, and those that must not occur. */
export async function wronglyRendered(chart: HelmChart, folder: string): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const rendered of renderedValues) {
    const { name, contains, lacks = [] } = rendered;
    const text = await render(chart, rendered, folder).catch((error: unknown) => `refused: ${String(error)}`);
    const missing = contains.filter((part) => !text.includes(part)).map((part) => `${name}: missing: ${part}`);
    const surplus = lacks.filter((part) => text.includes(part)).map((part) => `${name}: must not occur: ${part}`);
    problems.push(...missing, ...surplus);
    if (text.startsWith("refused: ")) problems.push(text);
  }
  return problems;
}

async function render(chart: HelmChart, { values: own, object }: RenderedValues, folder: string): Promise<string> {
  const values = { ...base, ...own };
  if (object === "notes") return chart.notes(values, folder);
  const [kind, component] = object.split("/");
  const suffix = component === undefined ? "" : `-${component}`;
  const name = `${release.name}-certificate-registry${suffix}`;
  const objects = await chart.renderValues(values, folder);
  return JSON.stringify(objects.find((rendered) => rendered.kind === kind && rendered.metadata.name === name) ?? {});
}
