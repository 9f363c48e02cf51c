import type { DeliveryOutcome, StoredClaim } from "./delivery.ts";

/** An outcome without an attempt, or of an attempt that is lost. */
export type UnsentOutcome = Pick<DeliveryOutcome, "kind" | "reason">;

/**
 * Age at which a claim without an outcome counts as abandoned: far longer than any attempt, which is connecting, 8 s for the
 * reply, and storing the outcome.
 */
export const defaultClaimLifeMs = 60_000;

/** The outcome of an abandoned claim. The message may have been sent, so it is not sent again (at-most-once delivery). */
export const interruptedOutcome: UnsentOutcome = {
  kind: "interrupted",
  reason:
    "The sender stopped before the outcome was known. The message is not sent again; the list shows the certificate's current state.",
};

/**
 * Returns the state of an event at the time of a call that claims it. `new`: this call stored the claim. `interrupted`: the
 * claim is abandoned, and the caller is to store {@link interruptedOutcome}.
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

/** Returns the full outcome of an event. */
export function unsentOutcome(eventId: string, outcome: UnsentOutcome): DeliveryOutcome {
  const noAttempt = { httpStatus: 0, durationMs: 0, phases: {}, remoteAddress: "", replyExcerpt: "" };
  return { eventId, ...outcome, ...noAttempt };
}
