import type { Clock } from "#shared/time/clock.ts";

/** A clock that stands still until the simulation advances it, or code under test sleeps. */
export class VirtualClock implements Clock {
  #nowMs: number;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  advance(durationMs: number): void {
    this.#nowMs += durationMs;
  }

  /** Returns a clock that is ahead of this one, and passes with it. */
  aheadBy(aheadMs: () => number): Clock {
    return { now: () => this.now() + aheadMs(), sleep: (durationMs, signal) => this.sleep(durationMs, signal) };
  }

  async sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    this.advance(Math.max(1, Math.ceil(durationMs)));
  }
}
