import { type Clock, steadyClock } from "#shared/time/clock.ts";

/**
 * Waits for a promise, but no longer than the caller does.
 *
 * @param remainingMs returns the caller's remaining time, in milliseconds; called at the start and whenever that time,
 * or `checkEveryMs`, has passed
 * @returns the value of the promise
 * @throws the error of `remainingMs`, without waiting any longer; otherwise that of the promise
 */
export async function waitInTime<T>(
  promise: Promise<T>,
  remainingMs: () => number,
  checkEveryMs: number,
  clock: Pick<Clock, "sleep"> = steadyClock,
): Promise<T> {
  const done = new AbortController();
  try {
    for (;;) {
      const waitMs = Math.min(remainingMs(), checkEveryMs) + 1;
      const outcome = await Promise.race([promise, clock.sleep(waitMs, done.signal).then((): typeof late => late)]);
      if (outcome !== late) return outcome;
    }
  } finally {
    // A reason of its own, because the default one is an error with a stack trace.
    done.abort(late);
  }
}

const late: unique symbol = Symbol("late");
