import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { NatsConnection } from "nats";
import { type CertificateEvent, CertificateEventSchema } from "#gen/events/v1/certificate_event_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { DeliveryRequest } from "../deliveries/delivery.ts";
import { publishToJetStream } from "./publish-to-jetstream.ts";

/**
 * Publishes a message without content in place of an event that is never to be sent. A relay may have read the event
 * before, and publish it at any later time: the stream refuses a second message with the event's subject as long as it
 * stores the first, and drops it for ten minutes after a notifier has acknowledged the first. A notifier that runs
 * removes a message that is published even later.
 *
 * @param clock a monotonic clock
 * @throws ServiceError `unavailable` if the stream is still storing another copy; otherwise as publishToJetStream does
 */
export function withdrawEvent(connection: NatsConnection, event: DeliveryRequest, clock: Clock): Promise<void> {
  return withdraw(connection, { ...event, messageId: event.eventId }, clock);
}

/**
 * Publishes a message without content in place of one that an erasure has deleted from the stream: a relay that was
 * taking the partition over may publish that event again, after the stream has forgotten the first copy. The message
 * has an id of its own, so that the stream does not drop it as a duplicate of that copy.
 *
 * @param bytes the deleted message; does nothing if they are not an event, which no relay publishes
 * @throws as {@link withdrawEvent} does
 */
export async function withdrawDeleted(connection: NatsConnection, bytes: Uint8Array, clock: Clock): Promise<void> {
  const event = decode(bytes);
  if (event === undefined || event.id === "") return;
  const { id: eventId, storeId, certificateId, type, queuedAt = event.occurredAt } = event;
  const at = queuedAt && timestampDate(queuedAt);
  const ids = { eventId, storeId, certificateId, messageId: `${eventId}.withdrawn` };
  await withdraw(connection, { ...ids, type, queuedAt: at }, clock);
}

function decode(bytes: Uint8Array): CertificateEvent | undefined {
  try {
    return fromBinary(CertificateEventSchema, bytes);
  } catch {
    return undefined;
  }
}

type Withdrawn = Pick<DeliveryRequest, "eventId" | "storeId" | "certificateId" | "type" | "queuedAt"> & {
  readonly messageId: string;
};

async function withdraw(
  connection: NatsConnection,
  { eventId, messageId, storeId, certificateId, type, queuedAt = new Date(0) }: Withdrawn,
  clock: Clock,
): Promise<void> {
  const at = timestampFromDate(queuedAt);
  const event = create(CertificateEventSchema, {
    id: eventId,
    storeId,
    type,
    certificateId,
    occurredAt: at,
    queuedAt: at,
    certificateJson: Buffer.from("{}"),
    // No feed has this epoch, so the message is not sent even if a restore loses the event's outcome.
    epoch: "withdrawn",
  });
  const bytes = toBinary(CertificateEventSchema, event);
  const entry = { eventId, messageId, storeId, certificateId, type, at: queuedAt, event: bytes };
  const result = await publishToJetStream(connection, clock)(entry);
  if (result === "refused") throw new ServiceError("unavailable", "The event is being published. Try again shortly.");
}
