import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { DeliverySchema } from "#gen/registry/v1/inspection_service_pb.js";
import {
  type DeliveryOutcomeSchema,
  type DeliveryOutcome as OutcomeMessage,
  OutcomeKind as WireKind,
} from "#gen/registry/v1/notifier_service_pb.js";
import { valueName } from "#shared/enums/named-values.ts";
import { reasonMessage, receivedReason } from "#shared/rpc/reason-messages.ts";
import { type DeliveryOutcome, isLaterKind, phasesOf } from "../deliveries/delivery.ts";
import type { LoggedDelivery, RecordedOutcome } from "../deliveries/delivery-log.ts";
import { enumNames } from "./enum-names.ts";

/** The kinds of outcomes. */
export const outcomeNames = enumNames(WireKind);

/**
 * Converts an outcome that a notifier reported. A kind that only a later notifier knows keeps its name, which a later
 * registry reads: refusing it would refuse the other outcomes of its batch, too.
 *
 * @throws ServiceError `bad_request` for an unknown kind without a name
 */
export function outcomeOf({ kind, kindName, phases, reason, ...message }: OutcomeMessage): DeliveryOutcome {
  const known = valueName(WireKind, kind);
  return {
    ...message,
    reason: receivedReason(reason) ?? null,
    kind: known ?? (isLaterKind(kindName) ? kindName : outcomeNames.nameOf(kind, "outcomes.kind")),
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
    kind: kind === undefined ? WireKind.UNSPECIFIED : outcomeNames.valueOf(kind),
  };
}
