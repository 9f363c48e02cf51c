import { keptMessagesMax } from "../../listening/listen-messages.ts";
import type { Collections } from "../documents/collections.ts";
import { compoundKey } from "../documents/compound-key.ts";
import type { OutboxDocument, StoreDocument } from "../documents/documents.ts";
import type { ListenMessageDocument } from "../documents/listen-documents.ts";
import type { Write } from "../driver/write-documents.ts";

/** A message for listeners, before it has a number. */
interface ListenedMessage {
  readonly document: Pick<OutboxDocument, "event">;
  /** The id of the token whose listeners alone receive the message. Default: those of all tokens. */
  readonly listener?: string | undefined;
}

/** Returns whether a store has a valid listen token, so that its events are kept for listeners. */
export function isListenedTo({ listenUntil, clockReadAt }: StoreDocument): boolean {
  return listenUntil !== undefined && listenUntil > clockReadAt;
}

/**
 * Returns the writes that keep messages for a store's listeners: each replaces the oldest message once there are
 * {@link keptMessagesMax}. The transaction has locked the store's document, so that the numbers are consecutive.
 */
export function listenWrites(
  { listenMessages, stores }: Collections,
  { _id: store, listened = 0, clockReadAt: at }: StoreDocument,
  messages: readonly ListenedMessage[],
): Write[] {
  if (messages.length === 0) return [];
  const kept = messages.map(({ document: { event }, listener }, index): Write => {
    const number = listened + index + 1;
    const _id = compoundKey(store, number % keptMessagesMax);
    const replacement: ListenMessageDocument = {
      _id,
      store,
      number,
      at,
      event,
      ...(listener !== undefined && { listener }),
    };
    return { name: "replaceOne", namespace: listenMessages.namespace, filter: { _id }, replacement, upsert: true };
  });
  const update = { $set: { listened: listened + messages.length } };
  return [...kept, { name: "updateOne", namespace: stores.namespace, filter: { _id: store }, update }];
}
