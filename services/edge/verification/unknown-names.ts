import { LRUCache } from "lru-cache";
import type { Clock } from "#shared/time/clock.ts";

// Names are random, so an unknown name does not become valid, unless a backup that contains it is restored.
const unknownMs = 30_000;
const unknownMax = 20_000;

/** Remembers for up to half a minute which names of one kind, such as link tokens, were unknown to the registry. */
export class UnknownNames {
  readonly #clock: Clock;
  readonly #untilMs = new LRUCache<string, number>({ max: unknownMax });

  /** @param clock a monotonic clock */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns whether the name was found to be unknown in the last half minute. */
  has(name: string): boolean {
    return (this.#untilMs.get(name) ?? Number.NEGATIVE_INFINITY) > this.#clock.now();
  }

  add(name: string): void {
    this.#untilMs.set(name, this.#clock.now() + unknownMs);
  }
}
