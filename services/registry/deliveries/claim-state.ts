import type { DeliveryOutcome, StoredClaim } from "./delivery.ts";

/**
 * How old a claim without an outcome is when its sender counts as dead: far longer than any attempt (connecting, 8 s for the
 * reply, and storing the outcome).
 */
export const defaultClaimLifeMs = 60_000;

/** What becomes of an event whose sender died: it may have been sent, so it is not sent again. */
export const interruptedOutcome: Pick<DeliveryOutcome, "kind" | "reason"> = {
  kind: "interrupted",
  reason: "The sender stopped before the outcome was known. The message is not sent again.",
};

/** How an event stands when somebody claims it: `new` is the claimer's own, `interrupted` has yet to be recorded so. */
export function claimStateOf(
  claim: StoredClaim,
  now: Date,
  claimLifeMs: number,
): "new" | "settled" | "in_flight" | "interrupted" {
  if (claim.isSettled) return "settled";
  if (claim.isNew) return "new";
  return now.getTime() - claim.claimedAt.getTime() < claimLifeMs ? "in_flight" : "interrupted";
}
