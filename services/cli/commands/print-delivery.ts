import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { Delivery } from "#gen/registry/v1/inspection_service_pb.js";
import { type DeliveryOutcome, type DeliveryPhases, OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { printable } from "#shared/text/printable.ts";
import { timestampText } from "../timestamp.ts";
import { enumName } from "./enum-names.ts";
import { print } from "./print.ts";

/** Prints a delivery: a line with the outcome; indented below: requester, reason, phase durations, response excerpt. */
export function printDelivery(delivery: Delivery): void {
  const { eventId, certificateId, type, claimedAt, requestedBy, outcome } = delivery;
  const event = enumName(EventType, type).padEnd(11);
  const result = outcome === undefined ? "in progress" : outcomeText(outcome);
  print(`${timestampText(claimedAt)}  ${eventId}  ${certificateId}  ${event}  ${result}`);
  if (requestedBy !== "") print(`    Requested by ${printable(requestedBy)}.`);
  if (outcome === undefined) return;
  print(`    ${printable(outcome.reason)}`);
  const phases = phasesText(outcome.phases);
  if (phases !== "") print(`    ${phases} ms`);
  if (outcome.replyExcerpt === "") return;
  for (const line of printable(outcome.replyExcerpt).trimEnd().split("\n")) print(`    | ${line}`);
}

function outcomeText({ kind, httpStatus, durationMs, remoteAddress }: DeliveryOutcome): string {
  const name = enumName(OutcomeKind, kind).padEnd(17);
  return `${name}  ${httpStatus || "-"}  ${durationMs} ms  ${printable(remoteAddress) || "-"}`;
}

function phasesText(phases: DeliveryPhases | undefined): string {
  const durations = [
    ["DNS", phases?.resolveMs],
    ["connect", phases?.connectMs],
    ["TLS", phases?.tlsMs],
    ["send", phases?.sendMs],
    ["reply", phases?.replyMs],
  ] as const;
  return durations.flatMap(([name, ms]) => (ms === undefined ? [] : `${name} ${ms}`)).join(", ");
}
