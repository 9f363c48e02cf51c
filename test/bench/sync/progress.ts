import { setTimeout as delay } from "node:timers/promises";

/** A sample of the progress and the cumulative cost of some work. */
export interface ProgressSample {
  /** Number of completed units. */
  readonly units: number;
  /** Cost so far. */
  readonly cost: number;
}

/**
 * Returns the cost per unit between two points of progress. Costs between two samples are interpolated.
 *
 * @param samples ordered by `units`
 * @returns NaN if a point lies outside the samples
 */
export function ratePerUnit(samples: readonly ProgressSample[], from: number, to: number): number {
  return (costAt(samples, to) - costAt(samples, from)) / (to - from);
}

function costAt(samples: readonly ProgressSample[], units: number): number {
  const after = samples.find((sample) => sample.units >= units);
  const before = samples.findLast((sample) => sample.units <= units);
  if (after === undefined || before === undefined) return Number.NaN;
  if (after.units === before.units) return before.cost;
  const share = (units - before.units) / (after.units - before.units);
  return before.cost + share * (after.cost - before.cost);
}

const everyMs = 50;

/**
 * Samples the progress and the cost of work, with pauses of 50 ms, until `stop` is called, and then once more.
 *
 * @param units returns the number of completed units
 * @param cost returns the cost so far
 */
export function sampleProgress(units: () => number, cost: () => Promise<number>) {
  const stopping = new AbortController();
  const sample = async (): Promise<ProgressSample> => ({ units: units(), cost: await cost() });
  const run = async () => {
    const samples: ProgressSample[] = [];
    while (!stopping.signal.aborted) {
      samples.push(await sample());
      await delay(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    // A sample that was in progress when stop() was called may not show the final progress.
    return [...samples, await sample()];
  };
  return { samples: run(), stop: () => stopping.abort() };
}
