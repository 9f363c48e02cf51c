import { parseArgs } from "node:util";

/** What can be measured on its own. */
export const partNames = ["changes", "import", "webhooks", "isolation"] as const;

/** One of the {@link partNames}. */
export type PartName = (typeof partNames)[number];

/** What the benchmark was asked for. */
export interface BenchOptions {
  readonly help: boolean;
  readonly parts: readonly PartName[];
  /** How long one round lasts. */
  readonly roundMs: number;
  /** How often each side has its turn. */
  readonly rounds: number;
  /** Stores that changes are spread over. */
  readonly stores: number;
  /** Builds a fast database server first, unless there is one. */
  readonly buildFast: boolean;
  /** Data and logs stay when it is over. */
  readonly keep: boolean;
}

/** How the benchmark is used. */
export const usage = `npm run bench -- [options]
  --only <part>,…   ${partNames.join(", ")}                                   (default: all)
  --seconds <n>     length of a round, 0.1 to 600                    (default 2)
  --rounds <n>      rounds of each side, one side after the other    (default 5)
  --stores <n>      stores that changes are spread over              (default 100)
  --no-build        take the database server that is there, do not build a fast one first
  --keep            leave data and logs behind`;

/** Reads the arguments. @throws Error naming the argument at fault */
export function parseBenchOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h", default: false },
      only: { type: "string", default: partNames.join(",") },
      seconds: { type: "string", default: "2" },
      rounds: { type: "string", default: "5" },
      stores: { type: "string", default: "100" },
      "no-build": { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
    },
  });
  return {
    help: values.help,
    parts: partsOf(values.only),
    roundMs: between("seconds", values.seconds, "number", 0.1, 600) * 1_000,
    rounds: between("rounds", values.rounds, "whole number", 1, 1_000),
    stores: between("stores", values.stores, "whole number", 1, 1_000),
    buildFast: !values["no-build"],
    keep: values.keep,
  };
}

function partsOf(text: string): PartName[] {
  const wanted = text.split(",");
  const unknown = wanted.find((name) => !partNames.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`--only ${text}: there is no part "${unknown}".\n${usage}`);
  return partNames.filter((name) => wanted.includes(name));
}

const forms = { number: /^\d+(\.\d+)?$/, "whole number": /^\d+$/ };

function between(name: string, text: string, form: keyof typeof forms, min: number, max: number): number {
  const value = Number(text);
  if (!forms[form].test(text) || value < min || value > max)
    throw new Error(`--${name} ${text} is not a ${form} from ${min} to ${max}.\n${usage}`);
  return value;
}
