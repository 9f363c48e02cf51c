import { quantile } from "./statistics.ts";

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
  return {
    requests: durationsMs.length + failed,
    failed,
    p50Ms: millisecondsOf(durationsMs, 0.5),
    p99Ms: millisecondsOf(durationsMs, 0.99),
  };
}

// To a tenth: finer is the timer's noise.
function millisecondsOf(durationsMs: readonly number[], share: number): number {
  return Math.round(quantile(durationsMs, share) * 10) / 10;
}
