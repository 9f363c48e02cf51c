import { claimStateOf, interruptedOutcome, type UnsentOutcome, unsentOutcome } from "./claim-state.ts";
import type { DeliveryRecords, DeliveryRequest } from "./delivery.ts";

interface SettleUnsentOptions {
  /** The part of the registry that claims the event; stored with the claim. */
  readonly claimedBy: string;
  /** The outcome of an event that had no claim. */
  readonly outcome: UnsentOutcome;
}

/**
 * Settles an event of the outbox so that no notifier sends it: claims the event, as a notifier would before sending,
 * and records the outcome. An event with an abandoned claim may have been sent, so {@link interruptedOutcome} is
 * recorded for it. An event that is already settled is only released from the outbox.
 *
 * @returns false while the event may be in flight; nothing is then recorded
 */
export async function settleUnsent(
  records: DeliveryRecords,
  event: DeliveryRequest,
  { claimedBy, outcome: unsent }: SettleUnsentOptions,
): Promise<boolean> {
  const { now } = await records.webhooksOf([event.storeId]);
  const [claim] = await records.claim([event], { claimedBy, claimedAt: now });
  if (claim === undefined) throw new Error(`no claim for event ${event.eventId}`);
  const state = claimStateOf(claim, event.attemptToken, now, records.claimLifeMs);
  if (state === "in_flight" || state === "resumable") return false;
  if (state === "settled") {
    // The replica that stored the outcome may have crashed before it released the event.
    await records.release([event.eventId]);
    return true;
  }
  const outcome =
    state === "new"
      ? unsentOutcome(event.eventId, unsent)
      : { ...unsentOutcome(event.eventId, interruptedOutcome), ifClaimedAt: claim.claimedAt };
  return (await records.settle([outcome])).has(event.eventId);
}
