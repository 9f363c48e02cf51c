import { ServiceError } from "#shared/errors/service-error.ts";
import {
  claimStateOf,
  defaultClaimLifeMs,
  interruptedOutcome,
  type UnsentOutcome,
  unsentOutcome,
} from "./claim-state.ts";
import type { DeliveryRecords, DeliveryRequest } from "./delivery.ts";

/** A message that a notifier could not decode. */
export interface UnreadableMessage {
  readonly subject: string;
  /** Sequence number of the message in the stream. */
  readonly sequence: bigint;
  /** The message's `Nats-Msg-Id`: the event's id if the outbox relay published it; may be empty. */
  readonly messageId: string;
  readonly data: Uint8Array;
  /** Why the message could not be decoded. */
  readonly problem: string;
}

/** A message in quarantine. */
export interface QuarantinedMessage extends Omit<UnreadableMessage, "sequence"> {
  readonly quarantinedAt: Date;
}

/** The dead-letter store for messages that cannot be decoded. */
export interface Quarantine {
  /** Stores a message; storing the same message again has no effect. */
  keep(message: UnreadableMessage): Promise<void>;
  /** Finds an unsettled event in the outbox. */
  findEvent(eventId: string): Promise<DeliveryRequest | undefined>;
  /** Returns the newest messages. */
  newest(countMax: number): Promise<QuarantinedMessage[]>;
}

const quarantinedOutcome: UnsentOutcome = {
  kind: "skipped",
  reason:
    "The event could not be read and was quarantined. Nothing was sent; the API's certificate list shows the current state.",
};

/**
 * Quarantines a message that cannot be decoded and settles its event, which would otherwise block the certificate's
 * later events permanently.
 *
 * @param claimLifeMs age at which a claim without an outcome counts as abandoned; default 60,000
 * @throws ServiceError `unavailable` while the event may be in flight; the message must be redelivered later
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
  const [claim] = await records.claim([event], { claimedBy: "quarantine", claimedAt: now });
  if (claim === undefined) throw new Error(`no claim for event ${event.eventId}`);
  const state = claimStateOf(claim, event.attemptToken, now, claimLifeMs);
  if (state === "in_flight" || state === "resumable") throw inFlight();
  // The replica that stored the outcome may have crashed before it released the event.
  if (state === "settled") return records.release([event.eventId]);
  const outcome =
    state === "new"
      ? unsentOutcome(event.eventId, quarantinedOutcome)
      : { ...unsentOutcome(event.eventId, interruptedOutcome), ifClaimedAt: claim.claimedAt };
  if (!(await records.settle([outcome])).has(event.eventId)) throw inFlight();
}

function inFlight(): ServiceError {
  return new ServiceError("unavailable", "The event may be in flight. Try again later.");
}
