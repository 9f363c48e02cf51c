import { median } from "../../harness/statistics.ts";

const mebibytesMax = 512;
/**
 * Maximum delay by one turn of an event loop, in milliseconds of CPU time: other programs make a turn longer, but do
 * not use its CPU time.
 */
export const turnCpuMsMax = 200;
const ratioMax = 1.5;

/** The highest values of a service so far. */
export interface ServicePeaks {
  mebibytes: number;
  /** CPU time of the event loop's most costly turn. */
  turnCpuMs: number;
  /** Duration of the longest turn, which other programs can cause; not judged. */
  turnMs: number;
}

interface WindowPair {
  readonly quietP99Ms: number;
  readonly attackedP99Ms: number;
}

/** What the check observed. */
export interface Observations {
  readonly peaks: ReadonlyMap<string, ServicePeaks>;
  /**
   * The good stores' p99 latencies in pairs of a quiet window and the attacked window after it. Undefined if there were
   * no quiet windows.
   */
  readonly windows: readonly WindowPair[] | undefined;
  /** Descriptions of responses with status 500, of failed requests of good stores, and of processes that ended. */
  readonly failures: readonly string[];
}

/** Returns the median of the windows' ratios. */
export function ratioOf(windows: readonly WindowPair[]): number {
  return median(windows.map(({ quietP99Ms, attackedP99Ms }) => attackedP99Ms / quietP99Ms));
}

/** Returns what does not meet the requirements. */
export function findingsOf(observations: Observations): string[] {
  const findings = [...observations.failures];
  for (const [name, { mebibytes, turnCpuMs }] of observations.peaks) {
    if (!(mebibytes < mebibytesMax)) findings.push(`${name} used ${Math.round(mebibytes)} MiB`);
    if (!(turnCpuMs <= turnCpuMsMax))
      findings.push(`a turn of the event loop of ${name} used ${Math.round(turnCpuMs)} ms of CPU time`);
  }
  const ratio = observations.windows === undefined ? 0 : ratioOf(observations.windows);
  if (!(ratio < ratioMax)) findings.push(`the p99 latency of the good stores rose ${ratio.toFixed(2)}-fold`);
  return findings;
}
