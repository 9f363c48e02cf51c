import type { NatsConnection } from "nats";
import { ensureStream, streamName } from "#shared/nats/event-stream.ts";
import { steadyClock } from "#shared/time/clock.ts";
import { deleteMessages, type MessageSelection } from "../../services/registry/outbox/delete-messages.ts";
import { publishToJetStream } from "../../services/registry/outbox/publish-to-jetstream.ts";

/** The event stream of the simulated registries, on a real NATS server. */
export type SimulatedStream = Awaited<ReturnType<typeof openSimulatedStream>>;

/** Creates the stream, if it does not exist. */
export async function openSimulatedStream(connection: NatsConnection) {
  await ensureStream(await connection.jetstreamManager(), { replicas: 1 });
  const deleteFrom = (storeId: string, selection: MessageSelection) =>
    deleteMessages(connection, { stream: streamName, subjects: `certificates.*.${storeId}.>` }, selection);
  return {
    publish: publishToJetStream(connection, steadyClock),
    deleteMessages: deleteFrom,
    /** Returns the bytes of all messages of a store. */
    async messagesOf(storeId: string): Promise<readonly Uint8Array[]> {
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
