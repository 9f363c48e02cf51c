import type { DeliveryOutcome, StoredClaim } from "./delivery.ts";

/** An outcome without a recorded attempt: nothing was sent, or the sender crashed. */
export type UnsentOutcome = Pick<DeliveryOutcome, "kind" | "reason">;

/**
 * Age in milliseconds at which a claim without an outcome counts as abandoned: far longer than it takes to connect,
 * to wait 8 s for the response, and to store the outcome.
 */
export const defaultClaimLifeMs = 60_000;

/** The outcome of an abandoned claim. The message may have been sent, so it is not sent again (at-most-once delivery). */
export const interruptedOutcome: UnsentOutcome = {
  kind: "interrupted",
  reason:
    "The sender stopped before the outcome was known. The message is not sent again; the API's certificate list shows the current state.",
};

/**
 * Returns the state of an event, given its claim. `new`: the current call stored the claim. `interrupted`: the claim is
 * abandoned, and the caller must store {@link interruptedOutcome}.
 */
export function claimStateOf(
  claim: StoredClaim,
  now: Date,
  claimLifeMs: number,
): "new" | "settled" | "in_flight" | "interrupted" {
  if (claim.isSettled) return "settled";
  if (claim.isNew) return "new";
  return now.getTime() - claim.claimedAt.getTime() < claimLifeMs ? "in_flight" : "interrupted";
}

/** Completes the outcome of an event with empty values for the fields that describe an attempt. */
export function unsentOutcome(eventId: string, outcome: UnsentOutcome): DeliveryOutcome {
  const noAttempt = { httpStatus: 0, durationMs: 0, phases: {}, remoteAddress: "", replyExcerpt: "" };
  return { eventId, ...outcome, ...noAttempt };
}
