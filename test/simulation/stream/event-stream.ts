import type { DeletedMessages, MessageSelection } from "../../../services/registry/outbox/delete-messages.ts";
import type { Publish } from "../../../services/registry/outbox/outbox.ts";

/** The event stream of simulated registries: simulated, or on a real NATS server. */
export interface EventStream {
  readonly publish: Publish;
  /** Deletes the selected messages of a store, as `deleteMessages` of the registry does. */
  readonly deleteMessages: (storeId: string, selection: MessageSelection) => Promise<DeletedMessages>;
  /** Returns the bytes of all messages of a store. */
  readonly messagesOf: (storeId: string) => Promise<readonly Uint8Array[]>;
}
