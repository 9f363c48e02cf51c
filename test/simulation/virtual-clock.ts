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

  async sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    this.advance(Math.max(1, Math.ceil(durationMs)));
  }
}
