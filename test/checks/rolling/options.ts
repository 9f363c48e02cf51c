import { z } from "zod";
import { commandLine, flag, integer, seed, stackOptions } from "../../harness/program/command-line.ts";

const schema = z.object({
  restarts: integer(1, 1_000, "rolling restarts of all services").default(20),
  short: flag("3 rolling restarts"),
  seed,
  stores: integer(1, 100, "stores, each with a webhook").default(8),
  writers: integer(1, 100, "writers, each with one change in progress").default(4),
  clients: integer(2, 100, "clients of the list, each with one request at a time").default(8),
  ignoreReadiness: flag("sends list requests to edges that are not ready, too; the check is expected to fail"),
  ...stackOptions,
});

const notes = `The last line of the output contains the counts. These must be 0:
  failed_requests  list requests without a complete page; no request is repeated
  lost             events without a POST
  doubled          events with more than one POST
  out_of_order     POSTs after the POST of a later event of the same certificate
  without_outcome  events without an outcome in the delivery log
  unexplained      interrupted events
  untrue           outcomes that contradict the receiver, or that changed
  wrong            requests that are not the correct message of an event
  unclean_stops    processes that did not exit with 0 within 10 s of SIGTERM
  crashed          process exits that the check did not cause`;

/** Options of the rolling-restart check. */
export type RollingOptions = z.output<typeof schema>;

/** Command line of the rolling-restart check. */
export const rollingCommand = commandLine("npm run check:rolling", schema, notes);

const shortRestarts = 3;

export function restartsOf({ restarts, short }: RollingOptions): number {
  return short ? shortRestarts : restarts;
}
