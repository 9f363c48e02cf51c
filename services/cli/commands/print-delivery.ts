import { timestampDate } from "@bufbuild/protobuf/wkt";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { Delivery } from "#gen/registry/v1/inspection_service_pb.js";
import {
  type DeliveryOutcome,
  type DeliveryPhases,
  OutcomeKind,
} from "#gen/registry/v1/notifier_service_pb.js";
import { printable } from "#shared/text/printable.ts";
import { print } from "./command.ts";
import { enumName } from "./enum-name.ts";

/** Prints what became of a message: a line, and below it why, how long each step took, what the receiver replied. */
export function printDelivery(delivery: Delivery): void {
  const { eventId, certificateId, type, claimedAt, requestedBy, outcome } = delivery;
  const time = claimedAt === undefined ? "" : timestampDate(claimedAt).toISOString();
  const event = enumName(EventType, type);
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
  const name = enumName(OutcomeKind, kind);
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
