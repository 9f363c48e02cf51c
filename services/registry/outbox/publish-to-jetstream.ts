import type { NatsConnection } from "nats";
import { eventSubject } from "#shared/nats/event-stream.ts";
import type { Publish } from "./outbox.ts";

const timeLimitMs = 5_000;

/** Publishes to JetStream; the stream drops an event that it has stored already (`Nats-Msg-Id`, the event's id). */
export function publishToJetStream(connection: NatsConnection): Publish {
  const stream = connection.jetstream({ timeout: timeLimitMs });
  return async ({ eventId, storeId, type, event }) => {
    await stream.publish(eventSubject(storeId, type), event, { msgID: eventId, timeout: timeLimitMs });
  };
}
