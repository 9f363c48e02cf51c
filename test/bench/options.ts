import { z } from "zod";
import {
  type CommandLine,
  commandLine,
  decimal,
  flag,
  integer,
  stackOptions,
  text,
} from "../../deploy/local/stack/command-line.ts";

/** Names of all parts of the benchmark, in the order in which they run. */
export const partNames = [
  "list",
  "poll",
  "verification",
  "paint",
  "sync",
  "flat",
  "changes",
  "import",
  "webhooks",
  "triggers",
  "relay",
  "isolation",
  "tls_flood",
  "admission",
  "overload",
  "memory",
  "start",
] as const;

export type PartName = (typeof partNames)[number];

const schema = z.object({
  only: text("parts", "parts to measure, comma-separated").default(partNames.join(",")),
  seconds: decimal(0.1, 600, "length of a round").default(2),
  rounds: integer(1, 1_000, "rounds per side").default(5),
  stores: integer(1, 1_000, "stores over which the load of most parts is spread").default(100),
  certificates: integer(
    200,
    10_000_000,
    "sync: certificates of the store (default 100000, or 20000 on a stand-in for MongoDB)",
  ).optional(),
  large: integer(
    2_000,
    10_000_000,
    "flat: certificates of the large store (default 1000000, or 100000 on a stand-in)",
  ).optional(),
  minutes: decimal(0.1, 10_000, "memory: length of the load").default(2),
  overloadSeconds: integer(3, 600, "overload: length of each measurement of check:overload").default(10),
  shareStacks: flag("measures parts with equal settings on one stack: faster, but with the data of earlier parts"),
  tls: flag("uses mutual TLS between the services; recorded results are without TLS"),
  json: flag("prints all figures as one JSON object in the last line of standard output"),
  record: flag("records the figures in results.json and renders RESULTS.md; services and proto must be committed"),
  render: flag("only renders RESULTS.md from results.json"),
  ...stackOptions,
});

/** Parsed options of the benchmark; `parts` and `roundMs` are derived from `only` and `seconds`. */
export interface BenchOptions extends z.output<typeof schema> {
  readonly parts: readonly PartName[];
  readonly roundMs: number;
}

const command = commandLine("npm run bench", schema);

/** Command line of the benchmark. Rejects `--record` together with `--tls` or `--share-stacks`. */
export const benchCommand: CommandLine<BenchOptions> = {
  usage: command.usage,
  parse: (args) => {
    const options = command.parse(args);
    if (options?.record && options.tls) throw new Error("--tls and --record cannot be used together.");
    if (options?.record && options.shareStacks) throw new Error("--share-stacks and --record cannot be used together.");
    return options && { ...options, parts: partsOf(options.only), roundMs: options.seconds * 1_000 };
  },
};

function partsOf(list: string): PartName[] {
  const names = list.split(",");
  const unknown = names.find((name) => !partNames.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`--only ${list}: there is no part "${unknown}".\n${command.usage}`);
  return partNames.filter((name) => names.includes(name));
}
