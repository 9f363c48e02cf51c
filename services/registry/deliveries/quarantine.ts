import type { DeliveryRecords, DeliveryRequest } from "./delivery.ts";
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
  readonly keptAt: Date;
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

const reason = "The event could not be read and was set aside. Nothing was sent.";

/**
 * Keeps a message that cannot be read, and settles the event that it was to be: otherwise the certificate's next events
 * would wait for it for ever.
 */
export async function quarantineMessage(
  quarantine: Quarantine,
  records: DeliveryRecords,
  message: UnreadableMessage,
): Promise<void> {
  await quarantine.keep(message);
  const event = await quarantine.findEvent(message.messageId);
  if (event === undefined) return;
  const [claim] = await records.claim([event], "quarantine");
  // A claim of somebody else's: that one sends it, or its claim runs out.
  if (!claim?.isNew) return;
  await records.settle([unsent(event.eventId, { kind: "skipped", reason })]);
}
