import type { NatsConnection } from "nats";
import { ensureStream, streamName } from "#shared/nats/event-stream.ts";
import { steadyClock } from "#shared/time/clock.ts";
import { deleteMessages, type MessageSelection } from "../../services/registry/outbox/delete-messages.ts";
import { publishToJetStream } from "../../services/registry/outbox/publish-to-jetstream.ts";
import type { EventStream } from "./stream/event-stream.ts";

/** Creates the event stream on a NATS server, if it does not exist. */
export async function openRealStream(connection: NatsConnection): Promise<EventStream> {
  await ensureStream(await connection.jetstreamManager(), { replicas: 1 });
  const deleteFrom = (storeId: string, selection: MessageSelection) =>
    deleteMessages(connection, { stream: streamName, subjects: `certificates.*.${storeId}.>` }, selection);
  return {
    publish: publishToJetStream(connection, steadyClock),
    deleteMessages: deleteFrom,
    async messagesOf(storeId) {
      const messages: Uint8Array[] = [];
      const matches = (bytes: Uint8Array) => {
        messages.push(bytes);
        return false;
      };
      await deleteFrom(storeId, { matches, isSettled: async () => true, apply: false });
      return messages;
    },
  };
}
