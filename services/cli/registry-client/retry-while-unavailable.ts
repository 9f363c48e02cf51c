import { errorCodes } from "#shared/errors/error-codes.ts";
import type { ServiceError } from "#shared/errors/service-error.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { systemClock } from "#shared/time/clock.ts";

const pauseMs = 1_000;

/**
 * Makes an idempotent call. While the call fails with a retryable error, repeats it after a pause of one second.
 *
 * @param onWait called before each pause
 * @throws ServiceError the first error that is not retryable, or the last error once the time limit has passed
 */
export async function retryWhileUnavailable<T>(
  call: () => Promise<T>,
  timeLimitMs: number,
  onWait: (error: ServiceError) => void,
): Promise<T> {
  const deadline = systemClock.now() + timeLimitMs;
  for (;;) {
    try {
      return await call();
    } catch (cause) {
      const error = toServiceError(cause);
      if (!errorCodes[error.code].retryable || systemClock.now() >= deadline) throw error;
      onWait(error);
      await systemClock.sleep(pauseMs);
    }
  }
}
