import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { DeliverySchema } from "#gen/registry/v1/inspection_service_pb.js";
import {
  type DeliveryOutcomeSchema,
  type DeliveryOutcome as OutcomeMessage,
  OutcomeKind as WireKind,
} from "#gen/registry/v1/notifier_service_pb.js";
import { reasonMessage, receivedReason } from "#shared/rpc/reason-messages.ts";
import { type DeliveryOutcome, type OutcomeKind, phasesOf } from "../deliveries/delivery.ts";
import type { LoggedDelivery, RecordedOutcome } from "../deliveries/delivery-log.ts";
import { enumNames } from "./enum-names.ts";

const kindNames = enumNames(WireKind);

/** Converts an outcome filter; returns undefined if unset. @throws ServiceError `bad_request` for an unknown outcome */
export function outcomeFilter(kind: WireKind): OutcomeKind | undefined {
  return kind === WireKind.UNSPECIFIED ? undefined : kindNames.nameOf(kind, "outcome");
}

/** Converts an outcome that a notifier reported. @throws ServiceError `bad_request` for an unknown kind */
export function outcomeOf({ kind, phases, reason, ...message }: OutcomeMessage): DeliveryOutcome {
  return {
    ...message,
    reason: receivedReason(reason) ?? null,
    kind: kindNames.nameOf(kind, "outcomes.kind"),
    phases: phasesOf(phases),
  };
}

/** Converts a delivery log entry to its protobuf message. */
export function deliveryMessage({
  claimedAt,
  outcome,
  ...delivery
}: LoggedDelivery): MessageInitShape<typeof DeliverySchema> {
  const claimed = { ...delivery, claimedAt: timestampFromDate(claimedAt) };
  if (outcome === null) return claimed;
  return {
    ...claimed,
    outcome: recordedOutcomeMessage(delivery.eventId, outcome),
    settledAt: timestampFromDate(outcome.settledAt),
  };
}

/** Converts a recorded outcome to its protobuf message. */
export function recordedOutcomeMessage(
  eventId: string,
  { kind, settledAt: _at, reason, ...outcome }: RecordedOutcome,
): MessageInitShape<typeof DeliveryOutcomeSchema> {
  const stated = reasonMessage(reason);
  return {
    ...outcome,
    ...(stated && { reason: stated }),
    eventId,
    kind: kind === undefined ? WireKind.UNSPECIFIED : kindNames.valueOf(kind),
  };
}
