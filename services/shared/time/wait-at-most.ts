import { addAbortListener } from "node:events";
import type { Clock } from "./clock.ts";

/**
 * Waits at most `limitMs` for a promise. A later value or error of the promise is ignored.
 *
 * @param signal ends the wait early when it aborts; one that few wait for at a time, such as a request's
 * @returns the promise's value, or undefined once the time has passed or the signal has aborted
 * @throws the promise's error
 */
export async function waitAtMost<T>(
  promise: Promise<T>,
  limitMs: number,
  clock: Pick<Clock, "sleep">,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const done = new AbortController();
  // A constant, because the default reason is an error, whose stack trace would be captured at every call.
  const end = () => done.abort(over);
  // Not `AbortSignal.any`, whose signals live until a full garbage collection.
  using _listener = signal && addAbortListener(signal, end);
  try {
    return await Promise.race([promise, clock.sleep(limitMs, done.signal).then(() => undefined)]);
  } finally {
    end();
  }
}

const over: unique symbol = Symbol("over");

/**
 * Waits for a promise until a signal aborts. A later value or error of the promise is ignored.
 *
 * @returns the promise's value, or undefined once the signal has aborted
 * @throws the promise's error
 */
export async function waitUntilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const aborted = Promise.withResolvers<undefined>();
  using _listener = addAbortListener(signal, () => aborted.resolve(undefined));
  return await Promise.race([promise, aborted.promise]);
}
