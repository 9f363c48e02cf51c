import { LRUCache } from "lru-cache";
import type { StorefrontInbox } from "./storefront-storage.ts";

/**
 * Once a store has this many failed messages, further messages that cannot be read are dropped: they would have no
 * effect, and the stored ones show the fault. Replicas, and messages that arrive at the same time, may together exceed
 * the limit.
 */
export const failedMessagesMax = 1_000;

const countedMs = 60_000;
const storesMax = 10_000;

/**
 * Returns a function that decides whether another message that cannot be read may be stored for a store. It counts the
 * stored ones at most once a minute, because a flood of such messages must cost little.
 */
export function boundFailedMessages(inbox: Pick<StorefrontInbox, "countFailed">) {
  const counts = new LRUCache<string, number>({ max: storesMax, ttl: countedMs, noUpdateTTL: true });
  return async (storeId: string): Promise<boolean> => {
    const known = counts.get(storeId) ?? (await inbox.countFailed(storeId, failedMessagesMax));
    const hasRoom = known < failedMessagesMax;
    counts.set(storeId, hasRoom ? known + 1 : known);
    return hasRoom;
  };
}
