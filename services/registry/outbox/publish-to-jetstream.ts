import { headers, type NatsConnection, NatsError } from "nats";
import { eventSubject, streamName } from "#shared/nats/event-stream.ts";
import type { Clock } from "#shared/time/clock.ts";
import { activeTraceparent, inChildSpan, SpanKind } from "#shared/trace/spans.ts";
import { awaitPendingCopy, isCopyPending } from "./await-pending-copy.ts";
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
 * While an earlier copy of an event is still being stored, only this event waits; the result is `refused` if that takes
 * more than five seconds.
 *
 * The message's `traceparent` header continues the trace of the change. The returned function throws PublishRefusal for
 * an event that NATS refuses.
 *
 * @param clock a monotonic clock
 */
export function publishToJetStream(connection: NatsConnection, clock: Clock): Publish {
  const stream = connection.jetstream({ timeout: timeoutMs });
  const publish = async ({ eventId, storeId, type, event, traceparent = "" }: OutboxEntry) => {
    const options = { msgID: eventId, expect: { lastSubjectSequence: 0 }, timeout: timeoutMs };
    const trace = activeTraceparent() || traceparent;
    try {
      const subject = eventSubject(storeId, type, eventId);
      await awaitPendingCopy(() => stream.publish(subject, event, { ...options, ...traceHeader(trace) }), clock);
    } catch (error) {
      if (isCopyPending(error)) return "refused";
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
