import { LRUCache } from "lru-cache";
import { base64Of } from "#shared/text/base64.ts";
import type { Clock } from "#shared/time/clock.ts";

interface RefusedKeysOptions {
  /** Monotonic clock. Default `performance`. */
  readonly clock?: Pick<Clock, "now">;
  /** Maximum number of keys. Default 100,000, which take about 15 MB. */
  readonly keysMax?: number;
}

/**
 * Caches which keys were refused, and until when another refusal is likely. The cache never decides whether a request
 * is admitted: it only determines whether the key's window is read before any update. A missing entry costs a write
 * instead of a read; an outdated entry costs an extra read. Unlike KeyOwners, whose entries have no end and which
 * forgets revoked keys, it remembers them, because they have to be refused.
 */
export class RefusedKeys {
  readonly #refused: LRUCache<string, true>;

  constructor({ clock = performance, keysMax = 100_000 }: RefusedKeysOptions = {}) {
    this.#refused = new LRUCache({ max: keysMax, perf: clock, ttlResolution: 0 });
  }

  /** Records a decision. @param forMs how long another refusal is likely, in milliseconds; 0 if it is not likely */
  note(keyHash: Uint8Array, forMs: number): void {
    const key = base64Of(keyHash);
    if (forMs > 0) this.#refused.set(key, true, { ttl: forMs });
    else this.#refused.delete(key);
  }

  /** Returns whether the key's next request is likely to be refused. */
  has(keyHash: Uint8Array): boolean {
    return this.#refused.get(base64Of(keyHash)) === true;
  }
}
