import { z } from "zod";
import { type ConfigVariable, isStandard } from "#shared/config/service-config.ts";
import { edgeConfig } from "../../services/edge/config.ts";
import { notifierConfig } from "../../services/notifier/config.ts";
import { registryConfig } from "../../services/registry/config.ts";

/** The services of the chart. */
export const serviceNames = ["edge", "registry", "notifier"] as const;

/** One of {@link serviceNames}. */
export type ServiceName = (typeof serviceNames)[number];

/** A JSON Schema (draft 2020-12), or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** An environment variable that a value of the chart sets. */
export interface ChartVariable extends ConfigVariable {
  /** Name of the value in `config`, such as `listsMax` for EDGE_LISTS_MAX. */
  readonly field: string;
  readonly schema: JsonSchema;
}

const configs = { edge: edgeConfig, registry: registryConfig, notifier: notifierConfig };
const keywords = ["type", "minimum", "maximum", "enum", "pattern"];
const described = z.object({ properties: z.record(z.string(), z.record(z.string(), z.unknown())) });

/**
 * Returns the environment variables of a service. The schema of each has the variable's type, and its bounds, choices
 * and pattern, except a pattern that Helm cannot check. A variable that is on or off may also be a boolean, a URL must
 * have a scheme and a host, and a port must not be 0.
 */
export function variablesOf(service: ServiceName): readonly ChartVariable[] {
  const { variables, schema } = configs[service];
  const { properties } = described.parse(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
  return variables.map((variable) => {
    const field = fieldOf(variable.name);
    const property = properties[field] ?? {};
    const entries = Object.entries(property).filter(
      ([keyword, value]) => keywords.includes(keyword) && isPortable(value),
    );
    const pattern = property.format === "uri" ? { pattern: urlPattern } : {};
    const minimum = isPort(field) ? { minimum: 1 } : {};
    const fieldSchema = { type: "string", ...Object.fromEntries(entries), ...pattern, ...minimum };
    return { ...variable, field, schema: isSwitch(fieldSchema) ? switchSchema : fieldSchema };
  });
}

// Helm does not check the format `uri`.
const urlPattern = "^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#]";

/** Returns whether a variable is a port to listen on. In a pod it cannot be 0, a free port: other objects name it. */
function isPort(field: string): boolean {
  return /^port$|Port$/.test(field);
}

// YAML reads on and off without quotation marks as booleans; the chart converts them to text.
const switchSchema: JsonSchema = { type: ["string", "boolean"], enum: [true, false, "on", "off"] };

function isSwitch(fieldSchema: JsonSchema): boolean {
  return JSON.stringify(fieldSchema.enum) === '["on","off"]';
}

/**
 * Returns whether Helm can check a JSON Schema keyword with this value. Helm's regular expressions (RE2) lack
 * lookaround; the service checks a pattern with lookaround when it starts.
 */
function isPortable(keywordValue: unknown): boolean {
  return !/\(\?[=!<]/.test(String(keywordValue));
}

/** `EDGE_LISTS_MAX` → `listsMax`, `OTEL_TRACES_SAMPLER_ARG` → `otelTracesSamplerArg` */
function fieldOf(variable: string): string {
  const words = variable
    .toLowerCase()
    .split("_")
    .slice(isStandard(variable) ? 0 : 1);
  return words.map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join("");
}

/** Returns whether a variable contains the path of a single file, which the chart can mount: see the value `files`. */
export function namesFile({ field }: ChartVariable): boolean {
  return field.endsWith("File");
}
