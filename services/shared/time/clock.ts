import { addAbortListener } from "node:events";

/** A source of time, injected so that tests can control it. */
export interface Clock {
  /** Milliseconds since the Unix epoch; a monotonic clock does not follow later changes of the wall clock. */
  now(): number;
  /** Resolves after the duration, or immediately and without an error when the signal aborts. */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

/** The system's wall clock; it can jump forwards and backwards. */
export const systemClock: Clock = {
  now: () => Date.now(),
  // `setTimeout` of node:timers/promises would reject: each abort would create an error with a stack trace.
  async sleep(durationMs, signal) {
    if (signal?.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    using _timer = setTimeout(resolve, durationMs);
    using _listener = signal && addAbortListener(signal, () => resolve());
    await promise;
  },
};

/**
 * A monotonic clock for leases and timeouts, which changes of the wall clock must not affect. It starts at the time
 * that the wall clock shows when the process starts.
 */
export const steadyClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: systemClock.sleep,
};
