import { ServiceError } from "#shared/errors/service-error.ts";
import { claimStateOf, defaultClaimLifeMs, interruptedOutcome } from "./claim-state.ts";
import type { DeliveryOutcome, DeliveryRecords, DeliveryRequest } from "./delivery.ts";
import { unsent } from "./unsent.ts";

/** A message that a notifier could not read. */
export interface UnreadableMessage {
  readonly subject: string;
  /** Its place in the stream. */
  readonly sequence: bigint;
  /** The event's id where the outbox relay published it; may be empty. */
  readonly messageId: string;
  readonly data: Uint8Array;
  readonly problem: string;
}

/** A message that is kept. */
export interface QuarantinedMessage extends Omit<UnreadableMessage, "sequence"> {
  readonly quarantinedAt: Date;
}

/** Where such messages are kept. */
export interface Quarantine {
  /** Keeps a message, once. */
  keep(message: UnreadableMessage): Promise<void>;
  /** The event in the outbox that has this id. */
  findEvent(eventId: string): Promise<DeliveryRequest | undefined>;
  /** The newest ones. */
  newest(countMax: number): Promise<QuarantinedMessage[]>;
}

const setAside: Pick<DeliveryOutcome, "kind" | "reason"> = {
  kind: "skipped",
  reason: "The event could not be read and was set aside. Nothing was sent.",
};

/**
 * Keeps a message that cannot be read, and settles the event that it was to be: otherwise the certificate's next events
 * would wait for it for ever.
 *
 * @param claimLifeMs how old a claim without an outcome is when its sender counts as dead; default 60,000
 * @throws ServiceError `unavailable` while the event may still be under way: the message has to come again
 */
export async function quarantineMessage(
  quarantine: Quarantine,
  records: DeliveryRecords,
  message: UnreadableMessage,
  claimLifeMs = defaultClaimLifeMs,
): Promise<void> {
  await quarantine.keep(message);
  const event = await quarantine.findEvent(message.messageId);
  if (event === undefined) return;
  const { now } = await records.webhooksOf([event.storeId]);
  const [claim] = await records.claim([event], "quarantine", now);
  if (claim === undefined) throw new Error(`no claim for event ${event.eventId}`);
  const state = claimStateOf(claim, now, claimLifeMs);
  if (state === "in_flight")
    throw new ServiceError("unavailable", "The event may still be under way. Try again later.");
  // Whoever stored the outcome may have died before it let go of the event.
  if (state === "settled") return records.release([event.eventId]);
  const outcome = state === "new" ? setAside : interruptedOutcome;
  await records.settle([unsent(event.eventId, outcome)]);
}
