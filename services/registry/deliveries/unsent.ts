import type { DeliveryOutcome } from "./delivery.ts";

/** The whole outcome of an event of which nothing was sent, or of which nobody knows any more. */
export function unsent(eventId: string, outcome: Pick<DeliveryOutcome, "kind" | "reason">): DeliveryOutcome {
  const nothing = { httpStatus: 0, durationMs: 0, phases: {}, remoteAddress: "", replyExcerpt: "" };
  return { eventId, ...outcome, ...nothing };
}
