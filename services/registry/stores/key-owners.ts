import { LRUCache } from "lru-cache";

/** Maximum number of remembered keys, about 15 MB. */
const keysMax = 100_000;

/**
 * Remembers which store an API key belongs to, so that load can be attributed to stores before an admission. It never
 * decides an admission: an unknown or outdated entry only puts a call into another queue.
 */
export class KeyOwners {
  readonly #owners = new LRUCache<string, string>({ max: keysMax });

  /** Records the store of a key, as an admission has found it. */
  note(keyHash: Uint8Array, storeId: string): void {
    this.#owners.set(mapKey(keyHash), storeId);
  }

  /** Returns the key's store, or a text that identifies the key itself while its store is unknown. */
  ownerOf(keyHash: Uint8Array): string {
    const key = mapKey(keyHash);
    return this.#owners.get(key) ?? key;
  }
}

function mapKey(keyHash: Uint8Array): string {
  return Buffer.from(keyHash).toString("base64");
}
