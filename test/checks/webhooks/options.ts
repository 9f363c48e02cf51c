import { z } from "zod";
import { commandLine, flag, integer, seed, stackOptions } from "../../harness/program/command-line.ts";
import type { NotifierTask } from "./notifier-task.ts";

const schema = z.object({
  events: integer(
    1,
    10_000_000,
    "minimum number of events; the run also continues until there are enough kills",
  ).default(5_000),
  minutes: integer(1, 10_080, "duration of the run, instead of a number of events").optional(),
  seed,
  stores: integer(1, 1_000, "stores, with receivers of every kind").default(24),
  writers: integer(1, 1_000, "writers, each with one change in progress").default(16),
  notifiers: integer(1, 20, "notifier replicas").default(3),
  killsPerStep: integer(1, 1_000, "minimum number of notifier kills at each delivery step").default(8),
  killEveryMs: integer(1, 3_600_000, "mean time between two kills of database, NATS or a registry").default(5_000),
  noKills: flag("kills no process"),
  claimLifeMs: integer(
    10_000,
    3_600_000,
    "age at which a claim without an outcome is settled as interrupted (default 60000, as in production)",
  ).optional(),
  ackFirst: flag(
    "acknowledges messages without waiting for their delivery, and claims no events; the check is expected to fail",
  ),
  ignoreClaims: flag("sends messages regardless of the response to the claim; the check is expected to fail"),
  ...stackOptions,
});

const notes = `The last line of the output contains the counts. These must be 0:
  doubled          events with more than one POST
  out_of_order     POSTs after the POST of a later event of the same certificate
  without_outcome  events without an outcome in the delivery log
  lost             events without a POST that are neither interrupted nor skipped
  unexplained      interrupted events beyond those that kills explain: without kills, all of them
  untrue           outcomes that contradict the receiver, or that changed
  wrong            requests that are not the correct message of an event
  trigger_lost     events that the receiver of a workflow trigger did not get, although it accepts every event
  trigger_out_of_order
                   POSTs to a trigger after the POST of a later event of the same certificate
  crashed          process exits that the check did not cause`;

/** Options of the webhook check. */
export type WebhooksOptions = z.output<typeof schema>;

/** Command line of the webhook check. */
export const webhooksCommand = commandLine("npm run check:webhooks", schema, notes);

/** Returns how the notifiers handle events. */
export function handlingOf({ ackFirst, ignoreClaims }: WebhooksOptions): NotifierTask["handling"] {
  if (ackFirst) return "ack-first";
  return ignoreClaims ? "ignore-claims" : "usual";
}
