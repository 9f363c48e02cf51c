import { z } from "zod";

/** A configuration that cannot be used; the message names every variable at fault. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ConfigError";
  }
}

/**
 * Reads a service's configuration from environment variables.
 *
 * @param schema one key per variable; a variable that is set to the empty text counts as not set
 * @throws ConfigError naming each variable at fault, never its value: it may be a secret
 */
export function loadConfig<S extends z.ZodRawShape>(
  schema: z.ZodObject<S>,
  env: Readonly<Record<string, string | undefined>>,
): z.output<z.ZodObject<S>> {
  const given = Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  );
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => {
    const name = String(issue.path[0]);
    return Object.hasOwn(given, name) ? `${name}: ${issue.message}` : `${name} is not set`;
  });
  throw new ConfigError(`The configuration cannot be used. ${problems.join("; ")}`);
}

/** A TCP port to listen on; 0 takes a free one. */
export const portNumber = z.coerce.number().int().min(0).max(65_535);

/** A whole number of milliseconds, at least 1. */
export const milliseconds = z.coerce.number().int().min(1).max(86_400_000);

/** A list separated by commas; empty entries are dropped. */
export const commaSeparated = z.string().transform((text) =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ""),
);
