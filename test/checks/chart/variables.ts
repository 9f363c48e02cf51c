import { z } from "zod";
import {
  type ChartVariable,
  namesFile,
  type ServiceName,
  serviceNames,
  variablesOf,
} from "../../../deploy/chart/service-variables.ts";
import type { HelmChart, KubernetesObject } from "./helm-chart.ts";

const podTemplate = z.object({
  spec: z.object({
    template: z.object({
      spec: z.object({
        containers: z.array(z.object({ env: z.array(z.object({ name: z.string(), value: z.string() })) })),
      }),
    }),
  }),
});

/**
 * Sets every environment variable of every service through the chart's values and reads it from the rendered pods.
 *
 * @param base values of an installation
 * @param folder folder to which values files are written
 * @returns each variable that is missing from the pod or has a wrong value, with the chart value that sets it
 */
export async function missingVariables(chart: HelmChart, base: object, folder: string): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const service of serviceNames) {
    const variables = variablesOf(service);
    // A variable and its `_FILE` form are mutually exclusive.
    const isFileForm = ({ name }: ChartVariable) => variables.some((other) => name === `${other.name}_FILE`);
    const direct = variables.filter((variable) => !isFileForm(variable));
    const sample = new Map(variables.map((variable) => [variable, sampleOf(variable)]));
    const config = Object.fromEntries(direct.map((variable) => [variable.field, sample.get(variable)]));
    const configured = await chart.renderValues({ ...base, [service]: { config } }, folder);
    for (const variable of direct)
      if (environmentOf(configured, service).get(variable.name) !== String(sample.get(variable)))
        missing.push(`${variable.name} from ${service}.config.${variable.field}`);
    const files = variables.filter(namesFile).map(({ field }) => [field, { secretName: "files", key: "file" }]);
    const mounted = await chart.renderValues({ ...base, [service]: { files: Object.fromEntries(files) } }, folder);
    for (const { name, field } of variables.filter(namesFile))
      if (environmentOf(mounted, service).get(name) !== `/etc/certificate-registry/files/${field}/file`)
        missing.push(`${name} from ${service}.files.${field}`);
  }
  return missing;
}

// Fields whose text the chart checks.
const samples: Readonly<Record<string, string>> = {
  mongodbUri: "mongodb://sample/sample",
  egressProxy: "http://sample:1",
  trustedProxies: "10.1.0.0/16",
};

function sampleOf({ field, schema }: ChartVariable): unknown {
  const { type, minimum, enum: choices } = schema;
  if (Array.isArray(choices)) return choices.at(-1);
  if (type === "number") return 0.5;
  if (type === "integer") return Number(minimum) + 2;
  if (/(Url|Endpoint)$/.test(field)) return "https://sample/path";
  return samples[field] ?? (field.endsWith("Networks") ? samples.trustedProxies : "sample:1");
}

function environmentOf(objects: readonly KubernetesObject[], service: ServiceName): ReadonlyMap<string, string> {
  const deployment = objects.find(
    ({ kind, metadata }) => kind === "Deployment" && metadata.name.endsWith(`-${service}`),
  );
  const [container] = podTemplate.parse(deployment).spec.template.spec.containers;
  return new Map(container?.env.map(({ name, value }) => [name, value]));
}
