import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { type Command, Option } from "commander";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { Delivery } from "#gen/registry/v1/inspection_service_pb.js";
import {
  type DeliveryOutcome,
  type DeliveryPhases,
  OutcomeKind,
} from "#gen/registry/v1/notifier_service_pb.js";
import { printable } from "#shared/text/printable.ts";
import { chooseStore } from "../registry-client/choose-store.ts";
import { print, runs } from "./command.ts";
import { countOf, timeOf } from "./option-values.ts";

interface ListOptions {
  readonly outcome?: string;
  readonly since?: Timestamp;
  readonly until?: Timestamp;
  readonly limit: number;
}

const pageMax = 100;

const outcomes = new Map(
  Object.entries(OutcomeKind).flatMap(([name, kind]) =>
    typeof kind === "number" && kind !== OutcomeKind.UNSPECIFIED ? [[name.toLowerCase(), kind]] : [],
  ),
);

/** `certctl delivery list` */
export function addDeliveryList(parent: Command): void {
  const command = parent
    .command("list")
    .description(
      "print what became of webhook messages in the last 30 days, newest first: time, event id, certificate, event, " +
        "outcome, status, milliseconds, address; below it why, how long each step took, what the receiver replied",
    )
    .addOption(new Option("--outcome <outcome>", "only what ended so").choices([...outcomes.keys()]))
    .option("--since <time>", "only from this time on, like 2026-11-21T08:00:00Z", timeOf)
    .option("--until <time>", "only before this time", timeOf)
    .option("--limit <n>", "how many at the most", countOf, 50);
  runs<ListOptions>(command, async (client, { store, limit, outcome, since, until }) => {
    const storeId = await chooseStore(client, store);
    const kind = outcomes.get(outcome ?? "") ?? OutcomeKind.UNSPECIFIED;
    const query = { storeId, outcome: kind, ...(since && { since }), ...(until && { until }) };
    let pageToken = "";
    for (let left = limit; left > 0; ) {
      const page = { limit: Math.min(left, pageMax), pageToken };
      const { deliveries, nextPageToken } = await client.inspection.listDeliveries({ ...query, ...page });
      deliveries.forEach(printDelivery);
      if (nextPageToken === "") return;
      left -= deliveries.length;
      pageToken = nextPageToken;
    }
  });
}

function printDelivery(delivery: Delivery): void {
  const { eventId, certificateId, type, claimedAt, requestedBy, outcome } = delivery;
  const time = claimedAt === undefined ? "" : timestampDate(claimedAt).toISOString();
  const event = (EventType[type] ?? String(type)).toLowerCase();
  const ending = outcome === undefined ? "under way" : endingOf(outcome);
  print(`${time}  ${eventId}  ${certificateId}  ${event.padEnd(11)}  ${ending}`);
  if (requestedBy !== "") print(`    Sent on the wish of ${printable(requestedBy)}.`);
  if (outcome === undefined) return;
  print(`    ${printable(outcome.reason)}`);
  const steps = stepsOf(outcome.phases);
  if (steps !== "") print(`    ${steps} ms`);
  if (outcome.replyExcerpt === "") return;
  for (const line of printable(outcome.replyExcerpt).trimEnd().split("\n")) print(`    | ${line}`);
}

function endingOf({ kind, httpStatus, durationMs, remoteAddress }: DeliveryOutcome): string {
  const name = (OutcomeKind[kind] ?? String(kind)).toLowerCase();
  return `${name.padEnd(17)}  ${httpStatus || "-"}  ${durationMs} ms  ${printable(remoteAddress) || "-"}`;
}

function stepsOf(phases: DeliveryPhases | undefined): string {
  const steps = [
    ["look-up", phases?.resolveMs],
    ["connection", phases?.connectMs],
    ["TLS", phases?.tlsMs],
    ["message", phases?.sendMs],
    ["reply", phases?.replyMs],
  ] as const;
  return steps.flatMap(([name, ms]) => (ms === undefined ? [] : `${name} ${ms}`)).join(", ");
}
