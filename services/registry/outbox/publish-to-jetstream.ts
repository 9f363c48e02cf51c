import type { NatsConnection } from "nats";
import { eventSubject } from "#shared/nats/event-stream.ts";
import type { Publish } from "./outbox.ts";

const timeoutMs = 5_000;

/** Publishes to JetStream with the event's id as `Nats-Msg-Id`, so that the stream drops duplicates. */
export function publishToJetStream(connection: NatsConnection): Publish {
  const stream = connection.jetstream({ timeout: timeoutMs });
  return async ({ eventId, storeId, type, event }) => {
    await stream.publish(eventSubject(storeId, type), event, { msgID: eventId, timeout: timeoutMs });
  };
}
