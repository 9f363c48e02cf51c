/** The time as the code sees it; injected everywhere, so that a test can stand still or jump. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after so many milliseconds, or at once when the signal aborts (without an error). */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (durationMs, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) {
        resolve();
        return;
      }
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, durationMs);
      signal?.addEventListener("abort", done, { once: true });
    }),
};

/**
 * The machine's own clock as it was when the process began, and never set since. For durations that somebody's safety hangs on,
 * as of a lease: it never goes back.
 */
export const steadyClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: systemClock.sleep,
};
