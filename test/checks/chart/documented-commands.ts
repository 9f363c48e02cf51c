import { glob, readFile } from "node:fs/promises";
import path from "node:path";
import { type HelmChart, release } from "./helm-chart.ts";
import { base } from "./values/base-values.ts";

const root = path.join(import.meta.dirname, "../../..");
const fullName = `${release.name}-certificate-registry`;
/** Values under which the chart creates everything that documents name. */
const everything = [
  { ...base, backup: { enabled: true } },
  { ...base, grpcTls: { certManager: { enabled: true, issuerRef: { name: "issuer" } } } },
];
const kinds = ["monitoring.coreos.com/v1/ServiceMonitor", "monitoring.coreos.com/v1/PrometheusRule"];
const certManager = "cert-manager.io/v1/Certificate";

/**
 * Compares the commands in the documents for operators with the chart.
 *
 * @param folder folder to which values files are written
 * @returns each `--set` that the chart refuses, and each name of an object that the chart does not create
 */
export async function wrongCommands(chart: HelmChart, folder: string): Promise<readonly string[]> {
  const created = new Set([fullName]);
  for (const values of everything)
    for (const text of JSON.stringify(await chart.renderValues(values, folder, [certManager])).matchAll(names))
      created.add(text[0]);
  const problems: string[] = [];
  const commands = new Map<string, string>();
  for await (const file of glob("{deploy/{operations,runbooks},charts/certificate-registry}/*.md", { cwd: root })) {
    const text = (await readFile(path.join(root, file), "utf8")).replaceAll("$name-", `${fullName}-`);
    for (const [name] of text.matchAll(names))
      if (!created.has(name)) problems.push(`${file}: no object is called ${name}`);
    for (const line of text.replaceAll("\\\n", " ").split("\n")) {
      const settings = [...line.matchAll(/--set[ =]"?([^\s"`]+)/g)].map(([, setting = ""]) => setting);
      if (settings.length > 0) commands.set(settings.join(" "), file);
    }
  }
  for (const [settings, file] of commands) {
    // Placeholders stand for any text; the argument of a shell function, for a list of keys.
    const values = settings.replaceAll(/<\w+>/g, "text").replaceAll("$1", "old.key,new.key").split(" ");
    const refusal = await chart.renderValues(base, folder, kinds, values).catch(String);
    if (typeof refusal === "string") problems.push(`${file}: --set ${settings}: ${refusal}`);
  }
  return problems;
}

const names = new RegExp(`${fullName}(?:-[a-z]+)*(?![a-z-])`, "g");
