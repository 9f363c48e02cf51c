import { quantile } from "../../harness/statistics.ts";

/** Latency summary of several requests. */
export type Latencies = ReturnType<typeof latenciesOf>;

/** Summarizes requests. @param durationsMs durations of the requests with a valid response */
export function latenciesOf(durationsMs: readonly number[], failed: number) {
  return {
    requests: durationsMs.length + failed,
    failed,
    p50Ms: roundedQuantile(durationsMs, 0.5),
    p99Ms: roundedQuantile(durationsMs, 0.99),
  };
}

// Rounds to 0.1 ms, because smaller differences are timer noise.
function roundedQuantile(durationsMs: readonly number[], share: number): number {
  return Math.round(quantile(durationsMs, share) * 10) / 10;
}
