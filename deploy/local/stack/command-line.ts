import { randomInt } from "node:crypto";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { z } from "zod";
import { messageOf, SetupError } from "../servers/setup-error.ts";

/** Parses the options of a program and describes them for `--help`. */
export interface CommandLine<Options> {
  /** Text for `--help`. */
  readonly usage: string;
  /** Parses arguments. @returns undefined for `--help` @throws SetupError naming the bad option or each bad value */
  parse(args: readonly string[]): Options | undefined;
}

/** Returns the schema of an integer option. @param help description for the usage text */
export function integer(min: number, max: number, help: string) {
  const error = `is not a whole number from ${min} to ${max}`;
  const number = z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error });
  return number.meta({ description: help, placeholder: "<n>" });
}

/** Returns the schema of a numeric option that permits fractions. @param help description for the usage text */
export function decimal(min: number, max: number, help: string) {
  const error = `is not a number from ${min} to ${max}`;
  const number = z.coerce.number({ error }).min(min, { error }).max(max, { error });
  return number.meta({ description: help, placeholder: "<n>" });
}

/** Returns the schema of a string option. @param placeholder stands for the value in the usage text */
export function text(placeholder: string, help: string) {
  return z.string().meta({ description: help, placeholder: `<${placeholder}>` });
}

/** Returns the schema of an option that takes no value: true when present, false when absent. */
export function flag(help: string) {
  return z.boolean().meta({ description: help }).default(false);
}

// Differs between processes; the usage text shows it as "random".
const randomSeed = randomInt(2 ** 31);

/** The `--seed` option. A seed reproduces the random choices but not the timing of events. */
export const seed = integer(0, 2 ** 32 - 1, "repeats the random choices of an earlier run").default(randomSeed);

/** Options of the checks and benchmarks that start their own servers. */
export const stackOptions = {
  noBuild: flag("does not build the fast stand-in database (a build takes minutes)"),
  keep: flag("keeps data and logs"),
};

/**
 * Derives the command line from a schema: `killEveryMs` becomes `--kill-every-ms <n>`.
 *
 * @param command the command that starts the program, for the usage text
 * @param notes text after the options in the usage text
 */
export function commandLine<Shape extends z.ZodRawShape>(
  command: string,
  schema: z.ZodObject<Shape>,
  notes = "",
): CommandLine<z.output<z.ZodObject<Shape>>> {
  const options = Object.entries(schema.shape).map(([key, type]) => describe(key, type));
  const width = Math.max(...options.map(({ synopsis }) => synopsis.length));
  const lines = options.map(({ synopsis, help }) => `  ${synopsis.padEnd(width)}  ${help}`);
  const usage = [`${command} -- [options]`, ...lines, ...(notes === "" ? [] : ["", notes])].join("\n");
  const config: NonNullable<ParseArgsConfig["options"]> = { help: { type: "boolean", short: "h" } };
  for (const { name, isFlag } of options) config[name] = { type: isFlag ? "boolean" : "string" };
  const valuesOf = (args: readonly string[]): Readonly<Record<string, unknown>> => {
    try {
      return parseArgs({ args: [...args], options: config }).values;
    } catch (error) {
      throw new SetupError(`${messageOf(error)}\n${usage}`);
    }
  };
  return {
    usage,
    parse: (args) => {
      const values = valuesOf(args);
      if (values.help === true) return undefined;
      const given = options.filter(({ name }) => values[name] !== undefined);
      const result = schema.safeParse(Object.fromEntries(given.map(({ key, name }) => [key, values[name]])));
      if (result.success) return result.data;
      const problems = result.error.issues.map(({ path, message }) => {
        const name = optionName(String(path[0]));
        return `--${name} ${values[name]} ${message}.`;
      });
      throw new SetupError([...problems, usage].join("\n"));
    },
  };
}

const optionName = (key: string) => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function describe(key: string, type: z.core.$ZodType) {
  const preset = type instanceof z.ZodDefault ? type.def.defaultValue : undefined;
  const inner = type instanceof z.ZodDefault || type instanceof z.ZodOptional ? type.unwrap() : type;
  const { description = "", placeholder } = z.globalRegistry.get(inner) ?? {};
  const shown = preset === randomSeed ? "random" : preset;
  const help = shown === undefined || shown === false ? description : `${description} (default ${shown})`;
  const name = optionName(key);
  const isFlag = placeholder === undefined;
  return { key, name, isFlag, synopsis: isFlag ? `--${name}` : `--${name} ${placeholder}`, help };
}
