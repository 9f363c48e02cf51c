import { LRUCache } from "lru-cache";
import { base64Of } from "#shared/text/base64.ts";

// About 15 MB when full.
const keysMax = 100_000;
const unseenBuckets = 8;

/** The last decision on a request with an API key. */
interface LastDecision {
  readonly storeId: string;
  readonly isAdmitted: boolean;
}

/**
 * Remembers which store owns an API key, and whether the last request with the key was admitted. A key never moves to
 * another store. Used to shed load, where all keys of a store share one bound, to read pages before the admission is
 * decided, and to return the places of keys that have been revoked since. Unknown keys share a few bounds: if each
 * random key had its own bound, it would count as a new store, and new stores go first.
 */
export class KeyOwners {
  readonly #decisions = new LRUCache<string, LastDecision>({ max: keysMax });

  note(keyHash: Uint8Array, decision: LastDecision): void {
    this.#decisions.set(base64Of(keyHash), decision);
  }

  /** Forgets a key that is no longer valid. */
  forget(keyHash: Uint8Array): void {
    this.#decisions.delete(base64Of(keyHash));
  }

  /** Returns the key's store if a request with the key was decided here, and the key was valid in the last one. */
  storeOf(keyHash: Uint8Array): string | undefined {
    return this.#decisions.get(base64Of(keyHash))?.storeId;
  }

  /** Returns the key's store, or one of eight placeholders for keys whose store is not known. */
  ownerOf(keyHash: Uint8Array): string {
    return this.storeOf(keyHash) ?? `unseen/${(keyHash[0] ?? 0) % unseenBuckets}`;
  }

  /** Returns the key's store if the last request with the key was admitted. */
  storeOfAdmitted(keyHash: Uint8Array): string | undefined {
    const last = this.#decisions.get(base64Of(keyHash));
    return last?.isAdmitted ? last.storeId : undefined;
  }
}
