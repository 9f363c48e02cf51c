import type { NatsConnection } from "nats";
import { automationStreamName, automationSubjectsOf, hasAutomationStream } from "#shared/nats/automation-stream.ts";
import { ensureStream, streamName } from "#shared/nats/event-stream.ts";
import { steadyClock } from "#shared/time/clock.ts";
import {
  type DeletedMessages,
  deleteMessages,
  type MessagePlace,
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
  /** Returns the bytes of all messages of a store, and of its automation events. */
  readonly messagesOf: (storeId: string) => Promise<readonly Uint8Array[]>;
}

/** Creates the event stream, if it does not exist. */
export async function openEventStream(connection: NatsConnection): Promise<EventStream> {
  await ensureStream(await connection.jetstreamManager(), { replicas: 1 });
  const placeOf = (storeId: string) => ({ stream: streamName, subjects: `certificates.*.${storeId}.>` });
  return {
    publish: publishToJetStream(connection, steadyClock),
    deleteMessages: (storeId, selection) => deleteMessages(connection, placeOf(storeId), selection, untimed),
    async messagesOf(storeId) {
      const automation = { stream: automationStreamName, subjects: automationSubjectsOf(storeId) };
      const hasAutomation = await hasAutomationStream(connection);
      const messages: Uint8Array[] = [];
      const matches = (bytes: Uint8Array) => {
        messages.push(bytes);
        return false;
      };
      const read = async (place: MessagePlace) => {
        let from: number | undefined;
        do {
          const selection = { from, matches, isSettled: async () => true, apply: false };
          ({ next: from } = await deleteMessages(connection, place, selection, untimed));
        } while (from !== undefined);
      };
      await read(placeOf(storeId));
      if (hasAutomation) await read(automation);
      return messages;
    },
  };
}
