import { median } from "../../harness/statistics.ts";

const mebibytesMax = 512;
/** Maximum delay of an event loop, in milliseconds. */
export const delayMsMax = 200;
const ratioMax = 1.5;

/** The highest values of a service so far. */
export interface ServicePeaks {
  mebibytes: number;
  /** Delay of the event loop while no mutated requests were sent. */
  quietDelayMs: number;
  /** Delay of the event loop while mutated requests were sent. */
  fuzzedDelayMs: number;
}

/** What the check observed. */
export interface Observations {
  readonly peaks: ReadonlyMap<string, ServicePeaks>;
  /** Median p99 latencies of the good stores: pairs of a quiet window and the fuzzed window after it. */
  readonly windows: readonly { readonly quietP99Ms: number; readonly fuzzedP99Ms: number }[];
  /** Descriptions of responses with status 500, of failed requests of good stores, and of processes that ended. */
  readonly failures: readonly string[];
}

/** Returns the median of the windows' ratios. */
export function ratioOf({ windows }: Pick<Observations, "windows">): number {
  return median(windows.map(({ quietP99Ms, fuzzedP99Ms }) => fuzzedP99Ms / quietP99Ms));
}

/** Returns what does not meet the requirements. Twice the delay that other programs cause is permitted. */
export function findingsOf(observations: Observations): string[] {
  const findings = [...observations.failures];
  for (const [name, { mebibytes, quietDelayMs, fuzzedDelayMs }] of observations.peaks) {
    if (!(mebibytes < mebibytesMax)) findings.push(`${name} used ${Math.round(mebibytes)} MiB`);
    if (fuzzedDelayMs > Math.max(delayMsMax, 2 * quietDelayMs))
      findings.push(`the event loop of ${name} was delayed by ${Math.round(fuzzedDelayMs)} ms`);
  }
  const ratio = ratioOf(observations);
  if (!(ratio < ratioMax)) findings.push(`the p99 latency of the good stores rose ${ratio.toFixed(2)}-fold`);
  return findings;
}
