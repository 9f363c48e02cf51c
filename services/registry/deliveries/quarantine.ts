import { ServiceError } from "#shared/errors/service-error.ts";
import { isTestId } from "#shared/events/event-fields.ts";
import { eventSubject } from "#shared/nats/event-stream.ts";
import { type Reason, reason } from "#shared/reasons/reason.ts";
import type { OutboxEntry } from "../outbox/outbox.ts";
import type { UnsentOutcome } from "./claim-state.ts";
import type { DeliveryRecords, DeliveryRequest } from "./delivery.ts";
import { eventPrefix, redeliveryPrefix } from "./delivery-log.ts";
import { settleUnsent } from "./settle-unsent.ts";

/** A message that the notifier cannot decode, or an event that NATS refuses as too large. */
export interface UndeliverableMessage {
  readonly subject: string;
  /** Sequence number of the message in the stream; 0 for a message that the stream does not contain. */
  readonly sequence: bigint;
  /** The message's `Nats-Msg-Id`, which the outbox relay sets to the event's id; may be the empty string. */
  readonly messageId: string;
  /** The first bytes of the message, at most {@link quarantinedBytesMax}. */
  readonly data: Uint8Array;
  /** Why the message cannot be delivered. */
  readonly problem: Reason;
}

/** A message in quarantine. */
export interface QuarantinedMessage extends Omit<UndeliverableMessage, "sequence"> {
  readonly quarantinedAt: Date;
}

/** The dead-letter store for messages that cannot be delivered. */
export interface Quarantine {
  /**
   * Stores a message; storing the same message again has no effect. A message of an event that has left the outbox is
   * not stored: an erasure may have settled the event, because it names the erased person. An erasure that settles the
   * event later finds the stored message.
   *
   * @returns the message's event, if it is in the outbox; it may already be settled
   */
  keep(message: UndeliverableMessage): Promise<DeliveryRequest | undefined>;
  /** Returns at most `countMax` messages, newest first. */
  newest(countMax: number): Promise<QuarantinedMessage[]>;
}

/** Maximum number of bytes of a message that are kept. */
export const quarantinedBytesMax = 65_536;

const unreadableOutcome: UnsentOutcome = {
  kind: "skipped",
  reason: reason("event_unreadable_quarantined"),
};

const refusedOutcome: UnsentOutcome = {
  kind: "skipped",
  reason: reason("event_too_large"),
};

/**
 * Quarantines an outbox event that NATS refuses as too large, and settles it as {@link quarantineMessage} does. The
 * event can be redelivered (redeliver-event.ts). One that has left the outbox since the relay read it is not kept.
 *
 * @returns whether the event is kept
 */
export async function quarantineRefusedEvent(
  quarantine: Quarantine,
  records: DeliveryRecords,
  event: Pick<OutboxEntry, "eventId" | "storeId" | "type" | "event">,
  problem: Reason,
): Promise<boolean> {
  const { eventId, storeId, type } = event;
  const message = {
    subject: eventSubject(storeId, type, eventId),
    sequence: 0n,
    messageId: eventId,
    problem,
    data: event.event.subarray(0, quarantinedBytesMax),
  };
  return quarantineMessage(quarantine, records, message, refusedOutcome);
}

/** Returns whether an id is that of an event or of a manual send, rather than of a message from elsewhere. */
export function isDeliveryId(id: string): boolean {
  return id.startsWith(eventPrefix) || id.startsWith(redeliveryPrefix) || isTestId(id);
}

/**
 * Quarantines a message that cannot be delivered and settles its event, which would otherwise block the certificate's
 * later events permanently.
 *
 * @param outcome of the message's event, if nothing has been sent. Default: `skipped` as unreadable
 * @returns whether the message's event was in the outbox
 * @throws ServiceError `unavailable` while the event may be in flight; the caller must then retry later
 */
export async function quarantineMessage(
  quarantine: Quarantine,
  records: DeliveryRecords,
  message: UndeliverableMessage,
  outcome = unreadableOutcome,
): Promise<boolean> {
  const event = await quarantine.keep(message);
  if (event === undefined) return false;
  const isSettled = await settleUnsent(records, event, { claimedBy: "quarantine", outcome });
  if (!isSettled) throw new ServiceError("unavailable", "The event may be in flight. Try again later.");
  return true;
}
