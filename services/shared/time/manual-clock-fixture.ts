import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "./clock.ts";

/** A clock that stands still until the test advances it, with any number of sleeps. */
export class ManualClock implements Clock {
  readonly #sleeps = new Set<{ readonly untilMs: number; readonly end: () => void }>();
  #nowMs = 0;

  /** The number of sleeps in progress. */
  get sleepCount(): number {
    return this.#sleeps.size;
  }

  now(): number {
    return this.#nowMs;
  }

  sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const sleep = { untilMs: this.#nowMs + durationMs, end: resolve };
    this.#sleeps.add(sleep);
    signal?.addEventListener("abort", () => resolve());
    return promise.finally(() => this.#sleeps.delete(sleep));
  }

  /** Ends the sleeps whose time has come. Resolves in the next turn of the event loop. */
  async advance(durationMs: number): Promise<void> {
    this.#nowMs += durationMs;
    for (const { untilMs, end } of this.#sleeps) if (untilMs <= this.#nowMs) end();
    await turn();
  }
}
