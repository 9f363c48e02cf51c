import { ServiceError } from "#shared/errors/service-error.ts";
import { backOffMs } from "#shared/retry/back-off.ts";
import { type FailedAttempt, postponedMaxMs } from "./storefront-storage.ts";

const attemptsMax = 6;
const firstRetryMs = 1_000;

/**
 * Decides whether and when to retry after a failed attempt. Retries use exponential backoff and end after six failed
 * attempts that count. An attempt that failed with `unavailable`, for example because the database is down, does not
 * count and is retried after the shortest pause, because the message or order did not cause the failure.
 *
 * @param attemptsBefore number of earlier failed attempts that count
 * @param nowMs milliseconds since the Unix epoch
 */
export function failedAttempt(error: unknown, attemptsBefore: number, nowMs: number): FailedAttempt {
  const isKnown = error instanceof ServiceError;
  const isOutage = isKnown && error.code === "unavailable";
  const attempts = isOutage ? attemptsBefore : attemptsBefore + 1;
  const retryAt =
    attempts >= attemptsMax
      ? undefined
      : new Date(nowMs + backOffMs(isOutage ? 0 : attemptsBefore, firstRetryMs, postponedMaxMs));
  const failure = isKnown ? error.message : "An internal error occurred. For details, see the registry's log.";
  return { attempts, retryAt, failure };
}
