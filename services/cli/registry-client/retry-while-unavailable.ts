import { errorCodes } from "#shared/errors/error-codes.ts";
import type { ServiceError } from "#shared/errors/service-error.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import type { Clock } from "#shared/time/clock.ts";

/** Options of {@link retryWhileUnavailable}. */
export interface RetryOptions {
  readonly clock: Clock;
  /** Called before each pause. */
  readonly onWait: (error: ServiceError) => void;
  /** Total time limit. */
  readonly timeLimitMs: number;
}

const pauseMs = 1_000;

/**
 * Makes an idempotent call, and repeats it every second while it fails with a retryable error.
 *
 * @throws ServiceError the first error that is not retryable, or the last error when the time limit has passed
 */
export async function retryWhileUnavailable<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  const deadline = options.clock.now() + options.timeLimitMs;
  for (;;) {
    try {
      return await call();
    } catch (cause) {
      const error = toServiceError(cause);
      if (!errorCodes[error.code].retryable || options.clock.now() >= deadline) throw error;
      options.onWait(error);
      await options.clock.sleep(pauseMs);
    }
  }
}
