import { errorCodes } from "#shared/errors/error-codes.ts";
import type { ServiceError } from "#shared/errors/service-error.ts";
import { retryUntil } from "#shared/retry/retry-until.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { type Clock, steadyClock } from "#shared/time/clock.ts";

const pauseMs = { first: 1_000, max: 5_000 };

/** Returns the `onWait` of a command that prints notes; see {@link retryWhileUnavailable}. */
export function noteRetry(note: (text: string) => void): (error: ServiceError) => void {
  return ({ message }) => note(`${message} Retrying …`);
}

/**
 * Makes an idempotent call. While the call fails with a retryable error, repeats it with exponential backoff.
 *
 * @param onWait called before each pause
 * @param clock a monotonic clock
 * @throws ServiceError the first error that is not retryable, or the last error once the time limit has passed
 */
export async function retryWhileUnavailable<T>(
  call: () => Promise<T>,
  timeLimitMs: number,
  onWait: (error: ServiceError) => void,
  clock: Clock = steadyClock,
): Promise<T> {
  const deadline = clock.now() + timeLimitMs;
  const isFinal = (cause: unknown) => {
    const error = toServiceError(cause);
    if (!errorCodes[error.code].retryable || clock.now() >= deadline) return true;
    onWait(error);
    return false;
  };
  try {
    return await retryUntil(call, { isFinal, pauseMs, clock });
  } catch (cause) {
    throw toServiceError(cause);
  }
}
