import { readFileSync } from "node:fs";
import type { z } from "zod";
import { systemErrorCode } from "../errors/system-error-code.ts";
import { invalidVariables } from "./config-error.ts";
import { fileVariable, isReadableFromFile } from "./variable-types.ts";

/** Environment variables, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Parses environment variables.
 *
 * @param schema one key per variable; an empty or blank variable counts as not set; if a variable is marked by
 * `readableFromFile`, `<variable>_FILE` may name a file with its value
 * @param variableOf returns the name of the variable for a key of the schema; default: the key itself
 * @throws ConfigError naming each variable at fault; the message never shows a value that may be a secret
 */
export function readEnvironment<S extends z.ZodRawShape>(
  schema: z.ZodObject<S>,
  env: Environment,
  variableOf: (key: string) => string = (key) => key,
): z.output<z.ZodObject<S>> {
  const sources = new Map(
    Object.entries(schema.shape).map(([key, type]) => [key, sourceOf(variableOf(key), isReadableFromFile(type), env)]),
  );
  const given = [...sources].flatMap(([key, { value }]) => (value === undefined ? [] : [[key, value]]));
  const result = schema.safeParse(Object.fromEntries(given));
  const problems = [...sources].flatMap(([key, { name, value, problem }]) => {
    if (problem !== undefined) return [`${name}${problem}`];
    const issues = result.error?.issues.filter(({ path }) => path[0] === key) ?? [];
    return issues.map(({ message }) => `${name} ${value === undefined ? "is not set" : message}`);
  });
  if (result.success && problems.length === 0) return result.data;
  throw invalidVariables(problems);
}

interface Source {
  /** The variable that contains the value or names its file. */
  readonly name: string;
  readonly value?: string;
  /** Why the value cannot be read, as the rest of an error message that begins with `name`. */
  readonly problem?: string;
}

function sourceOf(variable: string, isFromFile: boolean, env: Environment): Source {
  const value = unlessBlank(env[variable]);
  const file = isFromFile ? unlessBlank(env[fileVariable(variable)]) : undefined;
  if (file === undefined) return value === undefined ? { name: variable } : { name: variable, value };
  if (value !== undefined)
    return { name: variable, problem: ` and ${fileVariable(variable)} are both set; set only one of them` };
  return { name: fileVariable(variable), ...readValue(file) };
}

function unlessBlank(text = ""): string | undefined {
  return text.trim() === "" ? undefined : text;
}

function readValue(file: string): Pick<Source, "value" | "problem"> {
  try {
    const value = readFileSync(file, "utf8").trim();
    return value === "" ? { problem: `: ${file} is empty` } : { value };
  } catch (error) {
    return { problem: `: ${file} cannot be read (${systemErrorCode(error) ?? "unknown error"})` };
  }
}
