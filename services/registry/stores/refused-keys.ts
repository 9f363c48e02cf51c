import { LRUCache } from "lru-cache";
import { base64Of } from "#shared/text/base64.ts";

interface RefusedKeysOptions {
  /** Monotonic time in milliseconds. Default `performance.now`. */
  readonly nowMs?: () => number;
  /** Maximum number of keys. Default 100,000, which take about 15 MB. */
  readonly keysMax?: number;
}

/**
 * Caches which keys were refused, and until when another refusal is likely. The cache never decides whether a request
 * is admitted: it only determines whether the key's window is read before any update. A missing entry costs a write
 * instead of a read; an outdated entry costs an extra read.
 */
export class RefusedKeys {
  readonly #nowMs: () => number;
  readonly #untilMs: LRUCache<string, number>;

  constructor({ nowMs = () => performance.now(), keysMax = 100_000 }: RefusedKeysOptions = {}) {
    this.#nowMs = nowMs;
    this.#untilMs = new LRUCache({ max: keysMax });
  }

  /** Records a decision. @param forMs how long another refusal is likely, in milliseconds; 0 if it is not likely */
  note(keyHash: Uint8Array, forMs: number): void {
    const key = base64Of(keyHash);
    if (forMs > 0) this.#untilMs.set(key, this.#nowMs() + forMs);
    else this.#untilMs.delete(key);
  }

  /** Returns whether the key's next request is likely to be refused. */
  has(keyHash: Uint8Array): boolean {
    const key = base64Of(keyHash);
    const untilMs = this.#untilMs.get(key);
    if (untilMs === undefined) return false;
    if (this.#nowMs() < untilMs) return true;
    this.#untilMs.delete(key);
    return false;
  }
}
