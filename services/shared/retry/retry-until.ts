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
  /** Exponential backoff with jitter; see {@link backOffMs}. */
  readonly pauseMs: { readonly first: number; readonly max: number };
  readonly clock: Pick<Clock, "sleep">;
  /** Called with the error before each pause. */
  readonly onRetry?: (error: unknown) => void;
  /** Called after each pause. Its error ends the attempts. */
  readonly beforeRetry?: () => void | Promise<void>;
  /** Ends a pause early when it aborts; the call that follows is the last. */
  readonly signal?: AbortSignal;
}

/** Makes a call until it succeeds. @returns the last result @throws the error of the last call, or of `beforeRetry` */
export async function retryUntil<T>(
  call: () => Promise<T>,
  { isFinal, isFailure, attemptsMax, pauseMs, clock, onRetry, beforeRetry, signal }: RetryPolicy<T>,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    const isLast = () => signal?.aborted || failures + 1 === attemptsMax;
    try {
      const result = await call();
      if (!isFailure?.(result) || isLast()) return result;
    } catch (error) {
      if (isLast() || isFinal?.(error)) throw error;
      onRetry?.(error);
    }
    await clock.sleep(backOffMs(failures, pauseMs.first, pauseMs.max), signal);
    await beforeRetry?.();
  }
}
