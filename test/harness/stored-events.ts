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

/**
 * Returns the messages of the stream, in order, up to the first gap that an acknowledged message has left; none while
 * the stream does not exist.
 */
export async function storedEvents(natsUrl: string): Promise<StoredEvent[]> {
  const connection = await connectForTest(natsUrl);
  try {
    return await readStream(await connection.jetstreamManager());
  } finally {
    await connection.close();
  }
}

async function readStream(manager: JetStreamManager): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  try {
    const { state } = await manager.streams.info(streamName);
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const message = await manager.streams.getMessage(streamName, { seq });
      const event = fromBinary(CertificateEventSchema, message.data);
      events.push({ subject: message.subject, messageId: message.header.get("Nats-Msg-Id"), event });
    }
    return events;
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === 404) return events;
    throw error;
  }
}
