import type { NatsConnection } from "nats";
import { ensureStream, streamName } from "#shared/nats/event-stream.ts";
import { steadyClock } from "#shared/time/clock.ts";
import {
  type DeletedMessages,
  deleteMessages,
  type MessageSelection,
} from "../../services/registry/outbox/delete-messages.ts";
import type { Publish } from "../../services/registry/outbox/outbox.ts";
import { publishToJetStream } from "../../services/registry/outbox/publish-to-jetstream.ts";

// The steps of a simulated history must not depend on real time.
const untimed = { now: () => 0 };

/** The event stream of simulated registries, on a NATS server or a simulated one. */
export interface EventStream {
  readonly publish: Publish;
  /** Deletes the selected messages of a store, as `deleteMessages` of the registry does. */
  readonly deleteMessages: (storeId: string, selection: MessageSelection) => Promise<DeletedMessages>;
  /** Returns the bytes of all messages of a store. */
  readonly messagesOf: (storeId: string) => Promise<readonly Uint8Array[]>;
}

/** Creates the event stream, if it does not exist. */
export async function openEventStream(connection: NatsConnection): Promise<EventStream> {
  await ensureStream(await connection.jetstreamManager(), { replicas: 1 });
  const deleteFrom = (storeId: string, selection: MessageSelection) =>
    deleteMessages(connection, { stream: streamName, subjects: `certificates.*.${storeId}.>` }, selection, untimed);
  return {
    publish: publishToJetStream(connection, steadyClock),
    deleteMessages: deleteFrom,
    async messagesOf(storeId) {
      const messages: Uint8Array[] = [];
      const matches = (bytes: Uint8Array) => {
        messages.push(bytes);
        return false;
      };
      let from: number | undefined;
      do ({ next: from } = await deleteFrom(storeId, { from, matches, isSettled: async () => true, apply: false }));
      while (from !== undefined);
      return messages;
    },
  };
}
