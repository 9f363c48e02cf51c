import { retryUntil } from "../retry/retry-until.ts";
import { systemClock } from "../time/clock.ts";
import { toServiceError } from "./error-conversion.ts";

const attemptsMax = 5;

/**
 * Saves, again at once while another caller has saved in the meantime; at most five times.
 *
 * @param attempt reads, and saves only in the version that it has read
 * @throws the error of the last attempt
 */
export function saveUnlessChanged<T>(attempt: () => Promise<T>): Promise<T> {
  const isFinal = (error: unknown) => toServiceError(error).code !== "conflict";
  return retryUntil(attempt, { isFinal, attemptsMax, pauseMs: { first: 0, max: 0 }, clock: systemClock });
}
