import { fromBinary } from "@bufbuild/protobuf";
import { type JetStreamManager, NatsError } from "nats";
import { type CertificateEvent, CertificateEventSchema } from "#gen/events/v1/certificate_event_pb.js";
import { streamName } from "#shared/nats/event-stream.ts";
import { connectForTest } from "./test-nats.ts";

/** A message of the event stream. */
export interface StoredEvent {
  readonly subject: string;
  /** The message's `Nats-Msg-Id` header. */
  readonly messageId: string;
  readonly event: CertificateEvent;
}

/** Returns the messages that the stream stores, in order; none if the stream does not exist. */
export async function storedEvents(natsUrl: string): Promise<StoredEvent[]> {
  const connection = await connectForTest(natsUrl);
  try {
    return await readStream(await connection.jetstreamManager({ timeout: 60_000 }));
  } finally {
    await connection.close();
  }
}

async function readStream(manager: JetStreamManager): Promise<StoredEvent[]> {
  const stream = await unlessMissing(() => manager.streams.info(streamName));
  if (stream === undefined) return [];
  const events: StoredEvent[] = [];
  // A stream that has never had a message states 0, which the server refuses.
  for (let seq = Math.max(1, stream.state.first_seq); seq <= stream.state.last_seq; seq++) {
    const message = await unlessMissing(() => manager.streams.getMessage(streamName, { seq }));
    if (message === undefined) continue;
    const event = fromBinary(CertificateEventSchema, message.data);
    events.push({ subject: message.subject, messageId: message.header.get("Nats-Msg-Id"), event });
  }
  return events;
}

/** Returns the result of `get`, or undefined if the stream or message does not exist. */
async function unlessMissing<T>(get: () => Promise<T>): Promise<T | undefined> {
  try {
    return await get();
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === 404) return undefined;
    throw error;
  }
}
