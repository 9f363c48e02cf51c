import type { Clock } from "#shared/time/clock.ts";
import { waitAtMost } from "#shared/time/wait-at-most.ts";

// Limits how long a slow database delays the other metrics of the scrape.
const readLimitMs = 1_000;

/**
 * Creates a function that reads a value for gauges. Concurrent calls share one read.
 *
 * @returns a function that returns the value in an object; undefined if it cannot be read within a second
 */
export function scrapeReading<T>(
  read: () => Promise<T>,
  clock: Pick<Clock, "sleep">,
): () => Promise<{ readonly value: T } | undefined> {
  let reading: Promise<{ readonly value: T } | undefined> | undefined;
  return () => {
    reading ??= read()
      .then(
        (value) => ({ value }),
        () => undefined,
      )
      .finally(() => {
        reading = undefined;
      });
    return waitAtMost(reading, readLimitMs, clock);
  };
}

/** Returns the age of the oldest work in seconds; 0 if there is none. */
export function ageSeconds(oldest: Date | undefined, clock: Pick<Clock, "now">): number {
  return oldest === undefined ? 0 : Math.max(0, clock.now() - oldest.getTime()) / 1_000;
}
