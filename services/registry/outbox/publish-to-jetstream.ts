import type { NatsConnection } from "nats";
import { eventSubject } from "#shared/nats/event-stream.ts";
import type { Publish } from "./outbox.ts";

const timeoutMs = 5_000;

/** Publishes to JetStream. The stream drops a message whose `Nats-Msg-Id`, the event's id, it has stored already. */
export function publishToJetStream(connection: NatsConnection): Publish {
  const stream = connection.jetstream({ timeout: timeoutMs });
  return async ({ eventId, storeId, type, event }) => {
    await stream.publish(eventSubject(storeId, type), event, { msgID: eventId, timeout: timeoutMs });
  };
}
