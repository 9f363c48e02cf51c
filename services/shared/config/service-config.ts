import { z } from "zod";
import { type Environment, readEnvironment } from "./read-environment.ts";
import { fileVariable, isReadableFromFile } from "./variable-types.ts";

/** An environment variable, as the configuration reference describes it. */
export interface ConfigVariable {
  readonly name: string;
  /** `required` if the variable must be set; otherwise the default, or `none` for no value or an empty list. */
  readonly defaultText: string;
  readonly description: string;
}

interface ServiceConfig<S extends z.ZodRawShape> {
  /** The schema of the fields, from which `npm run generate` reads each variable's type and bounds. */
  readonly schema: z.ZodObject<S>;
  /** The service's environment variables, in the order of the fields. */
  readonly variables: readonly ConfigVariable[];
  /** Parses the configuration. @throws ConfigError naming each variable at fault */
  readonly load: (env: Environment) => z.output<z.ZodObject<S>>;
}

/**
 * Defines a service's configuration: the single source of its parser and of its reference documentation.
 *
 * @param prefix the start of each variable's name: with `EDGE`, the field `registryTimeoutMs` is read from
 * `EDGE_REGISTRY_TIMEOUT_MS`. The standard variables of OpenTelemetry (`OTEL_…`) have no prefix.
 * @param fields a schema for each field, with its default and its description
 */
export function defineConfig<S extends z.ZodRawShape>(prefix: string, fields: S): ServiceConfig<S> {
  const schema = z.object(fields);
  const variableOf = (field: string) => {
    const name = field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
    return isStandard(name) ? name : `${prefix}_${name}`;
  };
  return {
    schema,
    variables: Object.entries(schema.shape).flatMap(([field, type]) => {
      const name = variableOf(field);
      const variable = {
        name,
        defaultText: defaultText(z.safeParse(type, undefined)),
        description: z.globalRegistry.get(type)?.description ?? "",
      };
      return isReadableFromFile(type) ? [variable, fileFormOf(name)] : [variable];
    }),
    load: (env) => readEnvironment(schema, env, variableOf),
  };
}

/** Returns whether a variable is a standard OpenTelemetry variable, which has the same name in all programs. */
export function isStandard(name: string): boolean {
  return name.startsWith("OTEL_");
}

function fileFormOf(name: string): ConfigVariable {
  const description = `File with the value of ${name}, which may contain a password; set only one of the two variables`;
  return { name: fileVariable(name), defaultText: "none", description };
}

function defaultText(unset: z.ZodSafeParseResult<unknown>): string {
  if (!unset.success) return "required";
  if (unset.data === undefined || (Array.isArray(unset.data) && unset.data.length === 0)) return "none";
  return String(unset.data);
}
