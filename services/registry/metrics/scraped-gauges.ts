import { Gauge, type Registry } from "prom-client";
import type { Clock } from "#shared/time/clock.ts";
import { waitAtMost } from "#shared/time/wait-at-most.ts";

// Limits how long a slow database delays the other metrics of the scrape.
const readLimitMs = 1_000;

interface ScrapedGaugesOptions<T> {
  readonly read: () => Promise<T>;
  /** Whether this replica reads and reports the value. Default: always. */
  readonly isReporting?: () => boolean;
  readonly clock: Pick<Clock, "sleep">;
}

/**
 * Creates a function that registers gauges of a value that is read at each scrape, once for all of them. A gauge is
 * absent in a replica that does not report, and while the value cannot be read within a second.
 */
export function scrapedGauges<T>(
  metrics: Registry,
  { read, isReporting = () => true, clock }: ScrapedGaugesOptions<T>,
): (name: string, help: string, gaugeOf: (value: T) => number) => void {
  const readShared = scrapeReading(read, clock);
  return (name, help, gaugeOf) => {
    new Gauge({
      name,
      help,
      registers: [metrics],
      async collect() {
        this.remove();
        const found = isReporting() ? await readShared() : undefined;
        if (found !== undefined) this.set(gaugeOf(found.value));
      },
    });
  };
}

/**
 * Creates a function that reads a value. Concurrent calls share one read: unlike an item of a Batcher, a call can join
 * one that has begun.
 *
 * @returns a function that returns the value in an object; undefined if it cannot be read within a second
 */
function scrapeReading<T>(
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
