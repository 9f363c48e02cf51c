import { type DeliveryOutcome, outcomeKinds, phasesOf } from "../../deliveries/delivery.ts";
import type { RecordedOutcome } from "../../deliveries/delivery-log.ts";

/** How a delivery ended. */
export interface DeliveryOutcomeDocument extends Omit<DeliveryOutcome, "eventId" | "kind"> {
  readonly kind: string;
  readonly at: Date;
}

/** Returns an outcome to store, without the request of a test message. */
export function storedOutcome(outcome: Omit<DeliveryOutcome, "eventId">, at: Date): DeliveryOutcomeDocument {
  // Copied field by field, so that other members of the caller's object are not stored.
  const { kind, httpStatus, durationMs, reason, phases, remoteAddress, replyExcerpt } = outcome;
  return { kind, httpStatus, durationMs, reason, phases, remoteAddress, replyExcerpt, at };
}

/** Converts a stored outcome. */
export function recordedOutcomeOf(document: DeliveryOutcomeDocument): RecordedOutcome {
  const { kind, phases, at, remoteAddress = "", replyExcerpt = "", ...outcome } = document;
  const known = outcomeKinds.find((one) => one === kind);
  return { ...outcome, kind: known, phases: phasesOf(phases), remoteAddress, replyExcerpt, settledAt: at };
}
