import { LRUCache } from "lru-cache";

/** What {@link FullWindows} can be told. */
export interface FullWindowsOptions {
  /** Milliseconds of a clock that is never set. Default: this process's own. */
  readonly nowMs?: () => number;
  /** Keys that it remembers at the most, about 15 MB of them. Default 100,000. */
  readonly keysMax?: number;
}

/**
 * Which keys' windows were full not long ago and can have no room yet, as far as this process knows. A hint and no decision:
 * it tells what to ask first. One that it has forgotten, or that lasts too long, costs an operation, and nothing else.
 */
export class FullWindows {
  readonly #nowMs: () => number;
  readonly #untilMs: LRUCache<string, number>;

  constructor({ nowMs = () => performance.now(), keysMax = 100_000 }: FullWindowsOptions = {}) {
    this.#nowMs = nowMs;
    this.#untilMs = new LRUCache({ max: keysMax });
  }

  /** Takes down what a decision showed. @param fullForMs until there is room; 0 when there is */
  note(keyHash: Uint8Array, fullForMs: number): void {
    const key = nameOf(keyHash);
    if (fullForMs > 0) this.#untilMs.set(key, this.#nowMs() + fullForMs);
    else this.#untilMs.delete(key);
  }

  /** Whether there can be no room yet. */
  has(keyHash: Uint8Array): boolean {
    const key = nameOf(keyHash);
    const untilMs = this.#untilMs.get(key);
    if (untilMs === undefined) return false;
    if (this.#nowMs() < untilMs) return true;
    this.#untilMs.delete(key);
    return false;
  }
}

function nameOf(keyHash: Uint8Array): string {
  return Buffer.from(keyHash).toString("base64");
}
