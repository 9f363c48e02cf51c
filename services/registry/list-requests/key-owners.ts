import { LRUCache } from "lru-cache";
import { base64Of } from "#shared/text/base64.ts";

// About 15 MB when full.
const keysMax = 100_000;
const unseenBuckets = 8;

/**
 * Remembers which store owns an API key; a key never moves to another store. Used for load shedding only, where all
 * keys of a store share one bound. Unknown keys share a few bounds: with a bound of its own, each random key would
 * count as a new store, and new stores go first.
 */
export class KeyOwners {
  readonly #stores = new LRUCache<string, string>({ max: keysMax });

  note(keyHash: Uint8Array, storeId: string): void {
    this.#stores.set(base64Of(keyHash), storeId);
  }

  /** Returns the key's store, or one of eight placeholders for keys whose store is not known yet. */
  ownerOf(keyHash: Uint8Array): string {
    return this.#stores.get(base64Of(keyHash)) ?? `unseen/${(keyHash[0] ?? 0) % unseenBuckets}`;
  }
}
