import { reason } from "#shared/reasons/reason.ts";
import type { DeliveryOutcome, StoredClaim } from "./delivery.ts";

/** An outcome without a recorded attempt: nothing was sent, or it is unknown whether the message was sent. */
export type UnsentOutcome = Pick<DeliveryOutcome, "kind" | "reason">;

/**
 * Age in milliseconds at which a claim without an outcome counts as abandoned: far longer than it takes to connect, to
 * send the message, to wait for the response (at most 8 s by default), and to store the outcome.
 */
export const defaultClaimLifeMs = 60_000;

/**
 * Returns the time in milliseconds within which an attempt must write the first byte of its message. The rest of the
 * claim's life is for sending, for the response and for storing the outcome, and covers differences between clocks.
 */
export function sendWithinMs(claimLifeMs: number): number {
  return Math.floor(claimLifeMs / 2);
}

/**
 * The outcome of an abandoned claim. The message may have been sent, so it is not sent again (at-most-once delivery).
 */
export const interruptedOutcome: UnsentOutcome = {
  kind: "interrupted",
  reason: reason("sender_lost"),
};

/**
 * The outcome of an event that was queued before the database was restored from a backup. The message may have been
 * sent, and the restore may have lost the event's claim.
 */
export const lostClaimOutcome: UnsentOutcome = {
  kind: "interrupted",
  reason: reason("restored_from_backup"),
};

/**
 * The state of an event, given its claim.
 *
 * - `new`: the current call stored the claim.
 * - `resumable`: the attempt that stored the claim retries its call, because it did not get the response. It has sent
 *   nothing yet and may send the event once the claim is renewed.
 * - `in_flight`: another attempt may be sending the event.
 * - `interrupted`: the claim is abandoned, and the caller must store {@link interruptedOutcome}, provided that the
 *   claim is not renewed in the meantime.
 * - `settled`: the outcome is stored.
 */
type ClaimState = "new" | "resumable" | "in_flight" | "interrupted" | "settled";

/** Returns the state of an event. @param attemptToken token of the call; the empty string for a call without a token */
export function claimStateOf(claim: StoredClaim, attemptToken: string, now: Date, claimLifeMs: number): ClaimState {
  if (claim.isSettled) return "settled";
  if (claim.isNew) return "new";
  if (attemptToken !== "" && claim.attemptToken === attemptToken) return "resumable";
  return now.getTime() - claim.claimedAt.getTime() < claimLifeMs ? "in_flight" : "interrupted";
}

/** Completes the outcome of an event with empty values for the fields that describe an attempt. */
export function unsentOutcome(eventId: string, outcome: UnsentOutcome): DeliveryOutcome {
  const noAttempt = { httpStatus: 0, durationMs: 0, phases: {}, remoteAddress: "", replyExcerpt: "" };
  return { eventId, ...outcome, ...noAttempt };
}
