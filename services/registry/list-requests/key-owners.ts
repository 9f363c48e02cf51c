import { LRUCache } from "lru-cache";

// About 15 MB when full.
const keysMax = 100_000;

/**
 * Remembers which store owns an API key; a key never changes its store. Used for load shedding only, where requests of
 * all keys of a store share one bound.
 */
export class KeyOwners {
  readonly #stores = new LRUCache<string, string>({ max: keysMax });

  note(keyHash: Uint8Array, storeId: string): void {
    this.#stores.set(textOf(keyHash), storeId);
  }

  /** Returns the key's store, or a text unique to the key if its store is not known yet. */
  ownerOf(keyHash: Uint8Array): string {
    const key = textOf(keyHash);
    return this.#stores.get(key) ?? key;
  }
}

function textOf(keyHash: Uint8Array): string {
  return Buffer.from(keyHash).toString("base64");
}
