import { parseArgs } from "node:util";
import { wholeNumber } from "../checks/runner/whole-number.ts";

/** What can be measured on its own. */
export const partNames = ["changes", "import", "webhooks", "isolation", "admission"] as const;

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
  --only <part>,…   ${partNames.join(", ")}                        (default: all)
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
    roundMs: milliseconds(values.seconds),
    rounds: wholeNumber("rounds", values.rounds, 1, 1_000, usage),
    stores: wholeNumber("stores", values.stores, 1, 1_000, usage),
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

function milliseconds(text: string): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value < 0.1 || value > 600)
    throw new Error(`--seconds ${text} is not a number from 0.1 to 600.\n${usage}`);
  return value * 1_000;
}
