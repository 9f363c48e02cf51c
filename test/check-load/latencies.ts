/** How requests went. */
export interface Latencies {
  readonly requests: number;
  /** Without a reply 200, even after the one repetition that clients allow themselves. */
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** @param durationsMs of the requests that were answered */
export function latenciesOf(durationsMs: readonly number[], failed: number): Latencies {
  const sorted = durationsMs.toSorted((a, b) => a - b);
  return {
    requests: durationsMs.length + failed,
    failed,
    p50Ms: percentile(sorted, 50),
    p99Ms: percentile(sorted, 99),
  };
}

/** The nearest-rank percentile, to a tenth; NaN of nothing. @param sorted smallest first */
export function percentile(sorted: readonly number[], percent: number): number {
  const value = sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)];
  return value === undefined ? Number.NaN : Math.round(value * 10) / 10;
}
