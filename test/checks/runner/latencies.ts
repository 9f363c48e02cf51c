import { quantile } from "../../harness/statistics.ts";

/** Summary of requests. */
export interface Latencies {
  readonly requests: number;
  /** Requests without a valid reply. */
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Summarizes requests. @param durationsMs of the requests with a valid reply */
export function latenciesOf(durationsMs: readonly number[], failed: number): Latencies {
  return {
    requests: durationsMs.length + failed,
    failed,
    p50Ms: roundedQuantile(durationsMs, 0.5),
    p99Ms: roundedQuantile(durationsMs, 0.99),
  };
}

// To 0.1 ms: finer differences are noise of the timer.
function roundedQuantile(durationsMs: readonly number[], share: number): number {
  return Math.round(quantile(durationsMs, share) * 10) / 10;
}
