import type { ChartValue } from "./chart-values.ts";
import { type JsonSchema, namesFile, type ServiceName, serviceNames, variablesOf } from "./service-variables.ts";

/** Renders the JSON Schema of the chart's values. Helm refuses values that the schema does not describe. */
export function valuesSchema(values: readonly ChartValue[]): JsonSchema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Values of the certificate-registry chart",
    ...objectSchema(values),
  };
}

function objectSchema(values: readonly ChartValue[], extra: JsonSchema = {}): JsonSchema {
  const properties = Object.fromEntries(values.map((value) => [value.name, schemaOf(value)]));
  return { type: "object", properties: { ...properties, ...extra }, additionalProperties: false };
}

function schemaOf({ path, description, keywords, value, children }: ChartValue): JsonSchema {
  const about = description === "" ? {} : { description };
  const { "x-variables": variables, "x-files": files, ...rest } = keywords;
  if (variables !== undefined) return { ...about, ...variablesSchema(serviceOf(variables, path)) };
  if (files !== undefined) return { ...about, ...filesSchema(serviceOf(files, path)) };
  if (children !== undefined) return { ...about, ...objectSchema(children), ...rest };
  return { ...about, type: typeOf(value), default: value, ...rest };
}

function serviceOf(name: unknown, path: string): ServiceName {
  const service = serviceNames.find((known) => known === name);
  if (service === undefined)
    throw new Error(`values.yaml: the @schema annotation of ${path} must name one of ${serviceNames.join(", ")}`);
  return service;
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "number" ? "integer" : typeof value;
}

/** Returns the schema of an object with one property per environment variable of the service. */
function variablesSchema(service: ServiceName): JsonSchema {
  const entries = variablesOf(service).map(({ name, field, defaultText, description, schema }) => [
    field,
    { description: `${name} (default: ${defaultText}): ${description}`, ...schema },
  ]);
  return { type: "object", properties: Object.fromEntries(entries), additionalProperties: false };
}

const reference: JsonSchema = {
  type: "object",
  properties: {
    secretName: { type: "string", description: "Secret that contains the file." },
    configMapName: { type: "string", description: "ConfigMap that contains the file." },
    key: { type: "string", description: "Key under which the file is stored.", pattern: "^[-._a-zA-Z0-9]+$" },
  },
  required: ["key"],
  oneOf: [{ required: ["secretName"] }, { required: ["configMapName"] }],
  additionalProperties: false,
};

/** Returns the schema of an object with one property per environment variable that contains the path of a file. */
function filesSchema(service: ServiceName): JsonSchema {
  const entries = variablesOf(service)
    .filter(namesFile)
    .map(({ name, field, description }) => [field, { description: `${name}: ${description}`, ...reference }]);
  return { type: "object", properties: Object.fromEntries(entries), additionalProperties: false };
}
