import type { RegistryError } from "../errors.ts";

const shortestMs = 1_000;
const longestBackOffMs = 10_000;

/**
 * Parses a `Retry-After` header (RFC 9110, section 10.2.3).
 *
 * @param now the current time, in milliseconds since the Unix epoch; used if the header is a date
 * @returns the wait in milliseconds; undefined for a missing or an invalid header
 */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  // Date.parse() also accepts strings such as "1.5".
  const date = /^[A-Z][a-z]{2,8},? /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/**
 * Returns how long to wait before the next attempt: the time in the response's `Retry-After`, but at least one second;
 * without this header, an exponential backoff from 1 s to 10 s.
 *
 * @param attempt number of the failed attempt, from 1
 * @returns milliseconds; undefined if another attempt is pointless
 */
export function retryDelayMs({ isTemporary, retryAfterMs }: RegistryError, attempt: number): number | undefined {
  if (!isTemporary) return undefined;
  if (retryAfterMs !== undefined) return Math.max(shortestMs, retryAfterMs);
  return Math.min(longestBackOffMs, shortestMs * 2 ** (attempt - 1));
}
