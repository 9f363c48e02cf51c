import { systemClock } from "#shared/time/clock.ts";
import { messageOf } from "../../../deploy/local/servers/setup-error.ts";
import type { Collections } from "../../../services/registry/mongo/documents/collections.ts";

interface MachineWatchSetup {
  /** Journaled work of the database that takes milliseconds. */
  readonly probe: () => Promise<unknown>;
  /** A longer pause between the ends of two probes is a standstill. */
  readonly limitMs: number;
}

const everyMs = 100;
// A database without a primary fails a few probes. One that refuses them all shows nothing about the machine.
const failuresMax = 10;

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
  readonly #blind = new AbortController();
  #probedAt = performance.now();
  #lastStandstillEndedAt = Number.NEGATIVE_INFINITY;

  constructor(setup: MachineWatchSetup) {
    this.#setup = setup;
    this.#watching = this.#watch();
  }

  /** Aborts, with the last error, when ten probes have failed in a row. */
  get signal(): AbortSignal {
    return this.#blind.signal;
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
    for (let failures = 0; !signal.aborted; ) {
      await systemClock.sleep(everyMs, signal);
      const failure = await this.#setup.probe().then(() => undefined, blindness);
      failures = failure === undefined ? 0 : failures + 1;
      if (failures >= failuresMax) this.#blind.abort(failure);
      if (failure !== undefined) continue;
      const now = performance.now();
      if (this.#isStill(now)) this.#lastStandstillEndedAt = now;
      this.#probedAt = now;
    }
  }
}

function blindness(cause: unknown): Error {
  return new Error(`${failuresMax} probes of the database failed in a row: ${messageOf(cause)}`, { cause });
}
