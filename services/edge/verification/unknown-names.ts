import { LRUCache } from "lru-cache";
import type { Clock } from "#shared/time/clock.ts";

// Names are random, so an unknown one never becomes valid, unless a backup with it is restored.
const unknownMs = 30_000;
const unknownMax = 20_000;

/** Remembers for half a minute which names of one kind, such as link tokens, were unknown to the registry. */
export class UnknownNames {
  readonly #clock: Clock;
  readonly #untilMs = new LRUCache<string, number>({ max: unknownMax });

  /** @param clock monotonic */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns whether the name was unknown recently. */
  has(name: string): boolean {
    return (this.#untilMs.get(name) ?? Number.NEGATIVE_INFINITY) > this.#clock.now();
  }

  add(name: string): void {
    this.#untilMs.set(name, this.#clock.now() + unknownMs);
  }
}
