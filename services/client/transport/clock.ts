/** The clock of a client. Tests replace it. */
export interface Clock {
  /** Monotonic, in milliseconds. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason if the signal aborts. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

// A longer timer fires at once.
const timerMsMax = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const abort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const end = () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      const timer = setTimeout(end, Math.min(ms, timerMsMax));
      signal?.addEventListener("abort", abort, { once: true });
    }),
};
