import { z } from "zod";
import type { ChartValue } from "./chart-values.ts";
import { definitions } from "./schema-definitions.ts";
import { type JsonSchema, namesFile, type ServiceName, serviceNames, variablesOf } from "./service-variables.ts";

/**
 * Renders the JSON Schema of the chart's values. Helm refuses values that the schema does not describe.
 *
 * @param componentDefaults defaults by component, from the chart's folder `defaults`; they replace those of the groups
 * in `x-defaults`
 */
export function valuesSchema(
  values: readonly ChartValue[],
  componentDefaults: Readonly<Record<string, unknown>>,
): JsonSchema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Values of the certificate-registry chart",
    ...objectSchema(values, (name, groups) => overlaid(childrenOf(values, groups), componentDefaults[name])),
    $defs: definitions,
  };
}

/** Returns the values of the groups that an annotation `x-defaults` names, with the defaults of the component. */
type DefaultsOf = (component: string, groups: unknown) => readonly ChartValue[];

const groupNames = z.array(z.string()).optional();
const map = z.record(z.string(), z.unknown());

function childrenOf(values: readonly ChartValue[], groups: unknown): readonly ChartValue[] {
  return (groupNames.parse(groups) ?? []).flatMap((name) => {
    const children = values.find((value) => value.name === name)?.children;
    if (children === undefined) throw new Error(`values.yaml: "x-defaults" names ${name}, which is not a group`);
    return children;
  });
}

/** Replaces defaults by those that an object contains under the same names. Maps are merged, as the chart does. */
function overlaid(values: readonly ChartValue[], defaults: unknown): readonly ChartValue[] {
  const { data: own = {} } = map.safeParse(defaults);
  return values.map((value) => {
    if (!(value.name in own)) return value;
    const children = value.children && overlaid(value.children, own[value.name]);
    return { ...value, children, value: merged(own[value.name], value.value) };
  });
}

function merged(own: unknown, defaults: unknown): unknown {
  const [ownMap, defaultMap] = [map.safeParse(own), map.safeParse(defaults)];
  if (!ownMap.success || !defaultMap.success) return own;
  const entries = Object.entries(ownMap.data).map(([name, value]) => [name, merged(value, defaultMap.data[name])]);
  return { ...defaultMap.data, ...Object.fromEntries(entries) };
}

function objectSchema(values: readonly ChartValue[], defaultsOf: DefaultsOf): JsonSchema {
  const properties = Object.fromEntries(values.map((value) => [value.name, schemaOf(value, defaultsOf)]));
  return { type: "object", properties, additionalProperties: false };
}

function schemaOf(
  { path, name, description, keywords, value, children }: ChartValue,
  defaultsOf: DefaultsOf,
): JsonSchema {
  const about = description === "" ? {} : { description };
  const { "x-variables": variables, "x-files": files, "x-defaults": groups, ...rest } = keywords;
  if (variables !== undefined) return { ...about, ...variablesSchema(serviceOf(variables, path)) };
  if (files !== undefined) return { ...about, ...filesSchema(serviceOf(files, path)) };
  if (children !== undefined)
    return { ...about, ...objectSchema(withDefaults(children, defaultsOf(name, groups)), defaultsOf), ...rest };
  return { ...about, type: typeOf(value), default: value, ...rest };
}

/** Adds the values of the groups in `x-defaults` to those of a group; its own descriptions and defaults remain. */
function withDefaults(own: readonly ChartValue[], defaults: readonly ChartValue[]): readonly ChartValue[] {
  const merged = own.map((value) => {
    const same = defaults.find(({ name }) => name === value.name);
    if (value.children === undefined || same?.children === undefined) return value;
    return { ...value, children: withDefaults(value.children, same.children) };
  });
  return [...merged, ...defaults.filter(({ name }) => !own.some((value) => value.name === name)).map(removable)];
}

/**
 * Returns a default that null may remove. A number or a switch is always needed, except where values.yaml says
 * otherwise; Helm itself removes a null only for keys that are in values.yaml.
 */
function removable(value: ChartValue): ChartValue {
  if (value.children !== undefined) return { ...value, children: value.children.map(removable) };
  const type = typeOf(value.value);
  if (type === "integer" || type === "boolean") return value;
  return { ...value, keywords: { type: [type, "null"], ...value.keywords } };
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
