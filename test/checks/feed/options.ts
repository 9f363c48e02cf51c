import { z } from "zod";
import { commandLine, flag, integer, seed, stackOptions, text } from "../../harness/program/command-line.ts";

const schema = z.object({
  changes: integer(
    1,
    100_000_000,
    "minimum number of changes; the run also continues until every process has been killed",
  ).default(5_000),
  minutes: integer(1, 10_080, "duration of the run, instead of a number of changes").optional(),
  seed,
  stores: integer(1, 1_000, "stores; the first one gets more than a quarter of the changes").default(20),
  writers: integer(1, 1_000, "writers, each with one change in progress").default(24),
  clients: integer(1, 10_000, "integrators; the first one of each store copies the whole store").default(26),
  killEveryMs: integer(1, 3_600_000, "mean time between two kills").default(2_000),
  noKills: flag("kills no process"),
  plainClock: flag("assigns timestamps with new Date() and kills no process; the check is expected to fail"),
  uri: text("uri", "MongoDB connection string that names an empty database; default: a new server").optional(),
  stopDatabase: text("command", "shell command that makes the database of --uri unavailable during the run").optional(),
  startDatabase: text("command", "shell command that ends this outage").optional(),
  outageSeconds: integer(1, 600, "duration of the outage").default(30),
  ...stackOptions,
});

/** Options of the feed check. */
export type FeedOptions = z.output<typeof schema>;

const command = commandLine("npm run check:feed", schema);

/** Command line of the feed check. */
export const feedCommand: typeof command = {
  ...command,
  parse: (args) => {
    const options = command.parse(args);
    if (options !== undefined && options.clients < options.stores)
      throw new Error(`--clients must be at least --stores (${options.stores}).\n${command.usage}`);
    if ((options?.stopDatabase === undefined) !== (options?.startDatabase === undefined))
      throw new Error(`--stop-database and --start-database need each other.\n${command.usage}`);
    return options;
  },
};
