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
