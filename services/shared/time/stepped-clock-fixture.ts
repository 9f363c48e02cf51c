import type { Clock } from "./clock.ts";

/** A clock that advances only when the test sets it or ends the sleep in progress. */
export interface SteppedClock extends Clock {
  set(nowMs: number): void;
  /** Advances the time by the duration of the sleep in progress and ends that sleep. */
  endSleep(): void;
}

/** Creates a clock that starts at 0 and supports one sleep at a time, for tests of a loop that sleeps between steps. */
export function createSteppedClock(): SteppedClock {
  let nowMs = 0;
  let wake: (() => void) | undefined;
  return {
    now: () => nowMs,
    sleep: (durationMs, signal) =>
      new Promise((resolve) => {
        wake = () => {
          nowMs += durationMs;
          resolve();
        };
        signal?.addEventListener("abort", () => resolve());
      }),
    set: (ms) => {
      nowMs = ms;
    },
    endSleep: () => wake?.(),
  };
}
