import { systemClock } from "#shared/time/clock.ts";
import type { Collections } from "../../../services/registry/mongo/documents/collections.ts";

interface MachineWatchSetup {
  /** Journaled work of the database that takes milliseconds. */
  readonly probe: () => Promise<unknown>;
  /** A longer pause between the ends of two probes is a standstill. */
  readonly limitMs: number;
}

const everyMs = 100;

/** A probe: waits until the database has written its journal. Changes nothing. */
export const flush = ({ access }: Pick<Collections, "access">): Promise<unknown> =>
  access.updateOne({ _id: "none" }, { $set: { admitted: [] } }, { writeConcern: { w: "majority", journal: true } });

/**
 * Observes when this machine or its database stands still for longer than a service's time limits permit. A request
 * that fails meanwhile does not show a fault of the services. Times are those of `performance.now()`.
 */
export class MachineWatch implements AsyncDisposable {
  readonly #setup: MachineWatchSetup;
  readonly #closing = new AbortController();
  readonly #watching: Promise<void>;
  #probedAt = performance.now();
  #lastStandstillEndedAt = Number.NEGATIVE_INFINITY;

  constructor(setup: MachineWatchSetup) {
    this.#setup = setup;
    this.#watching = this.#watch();
  }

  /** Returns whether there was a standstill at any time since then; also one that has not ended yet. */
  stoodStillSince(from: number): boolean {
    return this.#lastStandstillEndedAt >= from || this.#isStill(performance.now());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#watching;
  }

  #isStill(now: number): boolean {
    return now - this.#probedAt > this.#setup.limitMs;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await systemClock.sleep(everyMs, signal);
      const hasWorked = await this.#setup.probe().then(
        () => true,
        () => false,
      );
      if (!hasWorked) continue;
      const now = performance.now();
      if (this.#isStill(now)) this.#lastStandstillEndedAt = now;
      this.#probedAt = now;
    }
  }
}
