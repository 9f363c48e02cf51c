import type { ClockRoom } from "./store-clock.ts";

/** The timestamps that the changes of a transaction need. */
export interface TimestampDemand {
  /** Number of timestamps to wait for while no other transaction advances the store's clock. */
  readonly wanted: number;
  /** Smallest number with which the transaction makes progress. */
  readonly needed: number;
}

/**
 * Determines how long the attempts of one transaction wait for timestamps of a store's clock. Waiting for the
 * timestamps of a whole batch saves transactions, but succeeds only if no other transaction changes the store
 * meanwhile. Once another transaction has advanced the clock during a wait, this one waits only until it can make
 * progress, so that a batch cannot starve behind single changes.
 */
export class ClockWait {
  #previousMs: number | undefined;
  #isOvertaken = false;

  /** @returns milliseconds until the next attempt; 0 if enough timestamps are available */
  next({ timestamps, previousMs }: ClockRoom, { wanted, needed }: TimestampDemand): number {
    if (wanted === 0 || timestamps >= wanted) return 0;
    if (this.#previousMs !== undefined && this.#previousMs !== previousMs) this.#isOvertaken = true;
    this.#previousMs = previousMs;
    return Math.max(0, (this.#isOvertaken ? needed : wanted) - timestamps);
  }
}
