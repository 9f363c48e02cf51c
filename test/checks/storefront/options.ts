import { z } from "zod";
import { commandLine, decimal, flag, integer, seed, stackOptions } from "../../harness/program/command-line.ts";

const schema = z.object({
  rate: decimal(0.1, 1_000, "orders per second, all from one store").default(50),
  orders: integer(1, 1_000_000, "orders in total").default(1_500),
  kill: flag("kills the registries with SIGKILL throughout the run"),
  seed,
  ...stackOptions,
});

const notes = `The last line of the output contains the counts. These must be 0:
  lost             units that should have a valid certificate and have none
  doubled          certificates of a unit that already has one, or valid ones of a unit that should have none
  unacknowledged   messages that were never accepted
  events           certificates whose history does not have the expected number of events
  crashed          process exits that the check did not cause
For comparison, not judged: response times, and how long the backlog lasted after the last message.`;

/** Options of the storefront check. */
export type StorefrontOptions = z.output<typeof schema>;

/** Command line of the storefront check. */
export const storefrontCommand = commandLine("npm run check:storefront", schema, notes);
