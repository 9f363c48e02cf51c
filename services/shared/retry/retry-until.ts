import type { Clock } from "../time/clock.ts";
import { backOffMs } from "./back-off.ts";

/** How long to wait before a failed call is repeated, and how often it is. */
interface RetryPolicy<T = unknown> {
  /** Returns whether an error ends the attempts. Default: none does. */
  readonly isFinal?: (error: unknown) => boolean;
  /** Returns whether a result is a failure, too. Default: none is. */
  readonly isFailure?: (result: T) => boolean;
  /** Maximum number of calls. Default: unlimited. */
  readonly attemptsMax?: number;
  /**
   * Exponential backoff with jitter, see {@link backOffMs}; or a function that returns each pause, undefined for none,
   * after an error (undefined for a result that is a failure) and a number of earlier failures.
   */
  readonly pauseMs: { readonly first: number; readonly max: number } | PauseOf;
  readonly clock: Pick<Clock, "sleep">;
  /** Called with the error before each pause. */
  readonly onRetry?: (error: unknown) => void;
  /** Called after each pause, with the error before it. Its own error ends the attempts. */
  readonly beforeRetry?: (error: unknown) => void | Promise<void>;
  /** Ends a pause early when it aborts; the call that follows is the last. */
  readonly signal?: AbortSignal;
}

type PauseOf = (error: unknown, failures: number) => number | undefined;

/** Makes a call until it succeeds. @returns the last result @throws the error of the last call, or of `beforeRetry` */
export async function retryUntil<T>(
  call: () => Promise<T>,
  { isFinal, isFailure, attemptsMax, pauseMs, clock, onRetry, beforeRetry, signal }: RetryPolicy<T>,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    const isLast = () => signal?.aborted || failures + 1 === attemptsMax;
    let failure: unknown;
    try {
      const result = await call();
      if (!isFailure?.(result) || isLast()) return result;
    } catch (error) {
      if (isLast() || isFinal?.(error)) throw error;
      onRetry?.(error);
      failure = error;
    }
    const durationMs =
      typeof pauseMs === "function" ? pauseMs(failure, failures) : backOffMs(failures, pauseMs.first, pauseMs.max);
    if (durationMs !== undefined) await clock.sleep(durationMs, signal);
    await beforeRetry?.(failure);
  }
}
