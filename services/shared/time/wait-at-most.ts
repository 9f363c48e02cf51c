import type { Clock } from "./clock.ts";

/**
 * Waits at most `limitMs` for a promise. A later value or error of the promise is ignored.
 *
 * @returns the promise's value, or undefined once the time has passed
 * @throws the promise's error
 */
export async function waitAtMost<T>(
  promise: Promise<T>,
  limitMs: number,
  clock: Pick<Clock, "sleep">,
): Promise<T | undefined> {
  const done = new AbortController();
  try {
    return await Promise.race([promise, clock.sleep(limitMs, done.signal).then(() => undefined)]);
  } finally {
    // A constant, because the default reason is an error, whose stack trace would be captured at every call.
    done.abort(ended);
  }
}

const ended: unique symbol = Symbol("ended");
