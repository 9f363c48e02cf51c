import type { Clock } from "../time/clock.ts";
import { backOffMs } from "./back-off.ts";

/** How long to wait before a failed call is repeated, and how often it is. */
interface RetryPolicy {
  /** Returns whether a failed call was the last. @param failures number of failed calls, including this one */
  readonly isFinal: (error: unknown, failures: number) => boolean;
  /** Exponential backoff with jitter; see {@link backOffMs}. */
  readonly pauseMs: { readonly first: number; readonly max: number };
  readonly clock: Pick<Clock, "sleep">;
  /** Called with the error before each pause. */
  readonly onRetry?: (error: unknown) => void;
  /** Ends a pause early when it aborts; the call that follows is the last. */
  readonly signal?: AbortSignal;
}

/** Makes a call until it succeeds. @throws the error of the last call */
export async function retryUntil<T>(
  call: () => Promise<T>,
  { isFinal, pauseMs, clock, onRetry, signal }: RetryPolicy,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await call();
    } catch (error) {
      if (signal?.aborted || isFinal(error, failures + 1)) throw error;
      onRetry?.(error);
    }
    await clock.sleep(backOffMs(failures, pauseMs.first, pauseMs.max), signal);
  }
}
