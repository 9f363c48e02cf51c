import { errorCodes } from "#shared/errors/error-codes.ts";
import type { ServiceError } from "#shared/errors/service-error.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import type { Clock } from "#shared/time/clock.ts";

/** How {@link retryWhileAway} waits. */
export interface RetryOptions {
  readonly clock: Clock;
  /** Told before each pause. */
  readonly onWait: (error: ServiceError) => void;
  /** How long in all. */
  readonly timeLimitMs: number;
}

const pauseMs = 1_000;

/**
 * Makes a call that may be repeated, again and again while the registry is away.
 *
 * @throws ServiceError the last one when the time is up, or at once the one that no repetition mends
 */
export async function retryWhileAway<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
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
