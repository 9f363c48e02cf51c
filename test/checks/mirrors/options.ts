import { z } from "zod";
import { commandLine, flag, integer, seed, stackOptions } from "../../harness/program/command-line.ts";

const schema = z.object({
  changes: integer(
    1,
    100_000_000,
    "minimum number of changes in each of the three parts of the run; a part also continues until there are enough kills",
  ).default(2_000),
  seed,
  writers: integer(1, 1_000, "writers, each with one change in progress").default(8),
  notifiers: integer(1, 20, "notifier replicas").default(3),
  killsPerStep: integer(1, 1_000, "minimum number of notifier kills at each delivery step").default(4),
  killEveryMs: integer(1, 3_600_000, "mean time between two kills of a server, a service or a mirror").default(1_500),
  ignoreEpoch: flag("mirrors ignore the feed's epoch; the check does not wait for kills, and is expected to fail"),
  ...stackOptions,
});

const notes = `A run has three parts. A backup is saved after the first one and restored after the second one, whose changes are
lost. The last line of the output contains the counts. These must be 0:
  missing     certificates of the list that a mirror lacks
  different   certificates that differ from the list
  phantom     certificates that a mirror has and the list does not
  unnoticed   mirrors that follow the feed from before the restore`;

/** Options of the mirrors check. */
export type MirrorsOptions = z.output<typeof schema>;

/** Command line of the mirrors check. */
export const mirrorsCommand = commandLine("npm run check:mirrors", schema, notes);
