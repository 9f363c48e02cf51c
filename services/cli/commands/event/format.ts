import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { Delivery } from "#gen/registry/v1/inspection_service_pb.js";
import { type DeliveryOutcome, type DeliveryPhases, OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { printable } from "#shared/text/printable.ts";
import { enumName } from "../../command/enum-names.ts";
import { timeWidthMin } from "../../output/fit-table.ts";
import type { ListFormat } from "../../output/output.ts";
import { reasonDocument } from "../../output/reason-document.ts";
import { timeOrNull, timestampText } from "../../timestamp.ts";

/**
 * The format of a delivery in lists: a row, then the requester, the reason, the duration of each phase and the response
 * excerpt, if known.
 */
export const deliveryFormat: ListFormat<Delivery> = {
  columns: [
    { title: "TIME", value: ({ claimedAt }) => timestampText(claimedAt), widthMin: timeWidthMin },
    { title: "EVENT ID", value: ({ eventId }) => eventId, isWhole: true },
    { title: "CERTIFICATE", value: ({ certificateId }) => certificateId },
    { title: "EVENT", value: ({ type }) => enumName(EventType, type), plainWidth: 11 },
    { title: "OUTCOME", value: ({ outcome }) => outcomeName(outcome), plainWidth: 17, isWhole: true },
    { title: "STATUS, DURATION, ADDRESS", value: ({ outcome }) => responseText(outcome) },
  ],
  details: detailsOf,
  toJson: deliveryDocument,
};

function outcomeName(outcome: DeliveryOutcome | undefined): string {
  return outcome === undefined ? "in progress" : enumName(OutcomeKind, outcome.kind);
}

function responseText(outcome: DeliveryOutcome | undefined): string {
  if (outcome === undefined) return "";
  const { httpStatus, durationMs, remoteAddress } = outcome;
  return `${httpStatus || "-"}  ${durationMs} ms  ${printable(remoteAddress) || "-"}`;
}

function detailsOf({ requestedBy, outcome }: Delivery): string[] {
  const requester = requestedBy === "" ? [] : [`Requested by ${printable(requestedBy)}.`];
  if (outcome === undefined) return requester;
  const phases = phasesText(outcome.phases);
  return [
    ...requester,
    ...(outcome.reason === undefined ? [] : [printable(outcome.reason.text)]),
    ...(phases === "" ? [] : [`${phases} ms`]),
    ...excerptLines(outcome),
  ];
}

/** Returns the lines of a response's excerpt, each with a bar before it. */
export function excerptLines({ replyExcerpt }: Pick<DeliveryOutcome, "replyExcerpt">): string[] {
  const lines = replyExcerpt === "" ? [] : printable(replyExcerpt).trimEnd().split("\n");
  return lines.map((line) => `| ${line}`);
}

function deliveryDocument({ eventId, certificateId, type, claimedAt, requestedBy, outcome }: Delivery): object {
  const event = enumName(EventType, type);
  const times = { claimedAt: timeOrNull(claimedAt), requestedBy: requestedBy || null };
  return { eventId, certificateId, event, ...times, outcome: outcome === undefined ? null : outcomeDocument(outcome) };
}

function outcomeDocument(outcome: DeliveryOutcome): object {
  const { kind, httpStatus, durationMs, remoteAddress, reason, phases, replyExcerpt } = outcome;
  const { resolveMs = null, connectMs = null, tlsMs = null, sendMs = null, replyMs = null } = phases ?? {};
  return {
    kind: enumName(OutcomeKind, kind),
    httpStatus: httpStatus || null,
    durationMs,
    remoteAddress: remoteAddress || null,
    reason: reasonDocument(reason),
    phases: { resolveMs, connectMs, tlsMs, sendMs, replyMs },
    replyExcerpt: replyExcerpt || null,
  };
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
