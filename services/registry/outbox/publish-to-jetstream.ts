import { headers, type NatsConnection, NatsError } from "nats";
import { eventSubject, streamName } from "#shared/nats/event-stream.ts";
import { activeTraceparent, inChildSpan, SpanKind } from "#shared/trace/spans.ts";
import type { OutboxEntry, Publish } from "./outbox.ts";
import { refusalOf } from "./publish-refusal.ts";

const timeoutMs = 5_000;
// JSStreamWrongLastSequenceErrF of nats-server: the subject already has a message. A full stream returns 10077.
const alreadyStored = 10_071;

/**
 * Creates the function that publishes to JetStream. However often the relay republishes an event, JetStream never
 * stores two copies at once: each event has its own subject, and the stream accepts a message only while it stores no
 * other message with that subject. The event's id is also the `Nats-Msg-Id`, so the stream drops copies published
 * within ten minutes of the first copy, even after a notifier has acknowledged that copy.
 *
 * The message's `traceparent` header continues the trace of the change. The returned function throws PublishRefusal for
 * an event that NATS refuses.
 */
export function publishToJetStream(connection: NatsConnection): Publish {
  const stream = connection.jetstream({ timeout: timeoutMs });
  const publish = async ({ eventId, storeId, type, event, traceparent = "" }: OutboxEntry) => {
    const options = { msgID: eventId, expect: { lastSubjectSequence: 0 }, timeout: timeoutMs };
    const trace = activeTraceparent() || traceparent;
    try {
      await stream.publish(eventSubject(storeId, type, eventId), event, { ...options, ...traceHeader(trace) });
    } catch (error) {
      if (!(error instanceof NatsError) || error.api_error?.err_code !== alreadyStored) throw refusalOf(error) ?? error;
    }
    return undefined;
  };
  return (entry) => {
    const attributes = { "messaging.system": "nats", "messaging.message.id": entry.eventId };
    const options = { kind: SpanKind.PRODUCER, parent: entry.traceparent ?? "", attributes };
    return inChildSpan(`publish ${streamName}`, options, () => publish(entry));
  };
}

function traceHeader(traceparent: string) {
  if (traceparent === "") return {};
  const added = headers();
  added.set("traceparent", traceparent);
  return { headers: added };
}
