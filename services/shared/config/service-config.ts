import { z } from "zod";
import { type Environment, readEnvironment } from "./read-environment.ts";

/** One environment variable as the configuration reference shows it. */
export interface ConfigVariable {
  readonly name: string;
  /** The default value, or `required` or `none` if the variable has no default. */
  readonly defaultText: string;
  readonly description: string;
}

interface ServiceConfig<S extends z.ZodRawShape> {
  /** The service's environment variables, in the order of the fields. */
  readonly variables: readonly ConfigVariable[];
  /** Parses the configuration. @throws ConfigError naming each variable at fault */
  readonly load: (env: Environment) => z.output<z.ZodObject<S>>;
}

/**
 * Defines a service's configuration: the single source of its parser and of its reference documentation.
 *
 * @param prefix the start of each variable's name: with `EDGE`, the field `registryTimeoutMs` is
 * `EDGE_REGISTRY_TIMEOUT_MS`
 * @param fields a schema for each field, with its default and its description
 */
export function defineConfig<S extends z.ZodRawShape>(prefix: string, fields: S): ServiceConfig<S> {
  const schema = z.object(fields);
  const variableOf = (field: string) => `${prefix}_${field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
  return {
    variables: Object.entries(schema.shape).map(([field, type]) => ({
      name: variableOf(field),
      defaultText: defaultText(z.safeParse(type, undefined)),
      description: z.globalRegistry.get(type)?.description ?? "",
    })),
    load: (env) => readEnvironment(schema, env, variableOf),
  };
}

function defaultText(unset: z.ZodSafeParseResult<unknown>): string {
  if (!unset.success) return "required";
  if (unset.data === undefined || (Array.isArray(unset.data) && unset.data.length === 0)) return "none";
  return String(unset.data);
}
