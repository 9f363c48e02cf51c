/**
 * Returns the delay before the next attempt: exponential backoff from `firstMs` to `maxMs`, reduced by a random jitter
 * of up to a quarter.
 *
 * @param failures the number of earlier failures, excluding the latest: 0 gives `firstMs` before jitter
 * @param drawn decides the jitter: from 0, no jitter, to 1; given for things that are to be tried again together.
 * Default: drawn at random
 */
export function backOffMs(failures: number, firstMs: number, maxMs: number, drawn = Math.random()): number {
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(failures, 30));
  return full * (1 - drawn / 4);
}
