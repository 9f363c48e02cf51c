import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "./clock.ts";

/** A clock that stands still until the test advances it, with any number of sleeps. It starts at 0 by default. */
export class ManualClock implements Clock {
  readonly #sleeps = new Set<{ readonly durationMs: number; readonly untilMs: number; readonly end: () => void }>();
  #nowMs: number;

  constructor(nowMs = 0) {
    this.#nowMs = nowMs;
  }

  /** The number of sleeps in progress. */
  get sleepCount(): number {
    return this.#sleeps.size;
  }

  readonly now = () => this.#nowMs;

  sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const sleep = { durationMs, untilMs: this.#nowMs + durationMs, end: resolve };
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

  /** Advances by the duration of the longest-running sleep, as {@link advance} does. */
  async endSleep(): Promise<void> {
    const [first] = this.#sleeps;
    await this.advance(first?.durationMs ?? 0);
  }
}
