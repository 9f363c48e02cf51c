import type { z } from "zod";
import { ConfigError } from "./config-error.ts";

/** Environment variables, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Parses environment variables.
 *
 * @param schema one key per variable; a variable set to the empty string counts as not set
 * @param variableOf returns the name of the variable for a key of the schema; default: the key itself
 * @throws ConfigError naming each variable at fault but not its value, which may be a secret
 */
export function readEnvironment<S extends z.ZodRawShape>(
  schema: z.ZodObject<S>,
  env: Environment,
  variableOf: (key: string) => string = (key) => key,
): z.output<z.ZodObject<S>> {
  const given = Object.fromEntries(
    Object.keys(schema.shape).flatMap((key) => {
      const value = env[variableOf(key)];
      return value ? [[key, value]] : [];
    }),
  );
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => {
    const key = String(issue.path[0]);
    return `${variableOf(key)} ${Object.hasOwn(given, key) ? issue.message : "is not set"}`;
  });
  throw new ConfigError(`The configuration is invalid. ${problems.join("; ")}`);
}
