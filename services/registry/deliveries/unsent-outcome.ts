import type { DeliveryOutcome } from "./delivery.ts";

/** Returns the full outcome of an event for which no attempt was made, or whose attempt is lost. */
export function unsentOutcome(eventId: string, outcome: Pick<DeliveryOutcome, "kind" | "reason">): DeliveryOutcome {
  const noAttempt = { httpStatus: 0, durationMs: 0, phases: {}, remoteAddress: "", replyExcerpt: "" };
  return { eventId, ...outcome, ...noAttempt };
}
