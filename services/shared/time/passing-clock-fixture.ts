import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "./clock.ts";

/** A clock whose time passes only in sleeps, each of which takes one turn of the event loop, and in {@link pass}. */
export class PassingClock implements Clock {
  /** The durations of the sleeps so far. */
  readonly slept: number[] = [];
  #nowMs = 0;

  readonly now = () => this.#nowMs;

  readonly sleep = async (durationMs: number, signal?: AbortSignal) => {
    this.slept.push(durationMs);
    await turn();
    if (!signal?.aborted) this.pass(durationMs);
  };

  pass(durationMs: number): void {
    this.#nowMs += durationMs;
  }
}
