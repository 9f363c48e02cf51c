import { type NatsConnection, NatsError } from "nats";
import { eventSubject } from "#shared/nats/event-stream.ts";
import type { Publish } from "./outbox.ts";
import { refusalOf } from "./publish-refusal.ts";

const timeoutMs = 5_000;
// JSStreamWrongLastSequenceErrF of nats-server: the subject already has a message. A full stream answers 10077.
const alreadyStored = 10_071;

/**
 * Creates the function that publishes to JetStream. JetStream stores at most one copy of an event however often the
 * relay republishes it: each event has its own subject, and the stream accepts a message only while it stores no other
 * message with that subject. Because the event's id is its `Nats-Msg-Id`, the stream also drops copies that are
 * published shortly after a notifier has acknowledged the first one.
 *
 * The returned function throws PublishRefusal for an event that NATS refuses.
 */
export function publishToJetStream(connection: NatsConnection): Publish {
  const stream = connection.jetstream({ timeout: timeoutMs });
  return async ({ eventId, storeId, type, event }) => {
    const options = { msgID: eventId, expect: { lastSubjectSequence: 0 }, timeout: timeoutMs };
    try {
      await stream.publish(eventSubject(storeId, type, eventId), event, options);
    } catch (error) {
      if (!(error instanceof NatsError) || error.api_error?.err_code !== alreadyStored) throw refusalOf(error) ?? error;
    }
    return undefined;
  };
}
