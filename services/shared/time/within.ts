import type { Clock } from "./clock.ts";

/**
 * Waits for a promise for a limited time. A later value or error of the promise is ignored.
 *
 * @returns the promise's value, or undefined once the time has passed
 * @throws the promise's error
 */
export async function within<T>(
  promise: Promise<T>,
  limitMs: number,
  clock: Pick<Clock, "sleep">,
): Promise<T | undefined> {
  const done = new AbortController();
  try {
    return await Promise.race([promise, clock.sleep(limitMs, done.signal).then(() => undefined)]);
  } finally {
    // A reason of its own, because the default one is an error with a stack trace.
    done.abort(ended);
  }
}

const ended: unique symbol = Symbol("ended");
