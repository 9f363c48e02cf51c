import { LRUCache } from "lru-cache";
import { base64Of } from "#shared/text/base64.ts";

interface FullWindowsOptions {
  /** Monotonic time in milliseconds. Default `performance.now`. */
  readonly nowMs?: () => number;
  /** Maximum number of keys, about 15 MB at the default of 100,000. */
  readonly keysMax?: number;
}

/**
 * Caches which keys' rate-limit windows are known to be full, and until when. The cache never decides on admission: it
 * only determines whether the window is read before it is written. A missing or outdated entry costs one extra
 * operation.
 */
export class FullWindows {
  readonly #nowMs: () => number;
  readonly #untilMs: LRUCache<string, number>;

  constructor({ nowMs = () => performance.now(), keysMax = 100_000 }: FullWindowsOptions = {}) {
    this.#nowMs = nowMs;
    this.#untilMs = new LRUCache({ max: keysMax });
  }

  /** Records a decision. @param fullForMs milliseconds until a request can be admitted; 0: immediately */
  note(keyHash: Uint8Array, fullForMs: number): void {
    const key = base64Of(keyHash);
    if (fullForMs > 0) this.#untilMs.set(key, this.#nowMs() + fullForMs);
    else this.#untilMs.delete(key);
  }

  /** Returns whether the key's window is known to be full. */
  has(keyHash: Uint8Array): boolean {
    const key = base64Of(keyHash);
    const untilMs = this.#untilMs.get(key);
    if (untilMs === undefined) return false;
    if (this.#nowMs() < untilMs) return true;
    this.#untilMs.delete(key);
    return false;
  }
}
