import { z } from "zod";
import {
  type CommandLine,
  commandLine,
  decimal,
  flag,
  integer,
  stackOptions,
  text,
} from "../harness/program/command-line.ts";

/** Names of all parts of the benchmark, in the order in which they run. */
export const partNames = ["list", "changes", "import", "webhooks", "isolation", "tls_flood", "admission"] as const;

/** Name of a part of the benchmark. */
export type PartName = (typeof partNames)[number];

const schema = z.object({
  only: text("parts", "parts to measure, comma-separated").default(partNames.join(",")),
  seconds: decimal(0.1, 600, "length of a round").default(2),
  rounds: integer(1, 1_000, "rounds per side").default(5),
  stores: integer(1, 1_000, "stores over which changes are spread").default(100),
  json: text("file", "also writes the JSON object of the last line to a file").optional(),
  record: flag("records the figures in results.json and renders RESULTS.md; services and proto must be committed"),
  render: flag("only renders RESULTS.md from results.json"),
  ...stackOptions,
});

/** Options of the benchmark. */
export interface BenchOptions extends z.output<typeof schema> {
  readonly parts: readonly PartName[];
  readonly roundMs: number;
}

const command = commandLine("npm run bench", schema);

/** Command line of the benchmark. */
export const benchCommand: CommandLine<BenchOptions> = {
  usage: command.usage,
  parse: (args) => {
    const options = command.parse(args);
    return options && { ...options, parts: partsOf(options.only), roundMs: options.seconds * 1_000 };
  },
};

function partsOf(list: string): PartName[] {
  const names = list.split(",");
  const unknown = names.find((name) => !partNames.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`--only ${list}: there is no part "${unknown}".\n${command.usage}`);
  return partNames.filter((name) => names.includes(name));
}
