import { systemClock } from "#shared/time/clock.ts";
import { metricValues } from "../../harness/metric-values.ts";
import type { SupervisedProcess } from "../../harness/supervisor/supervised-process.ts";
import { residentMebibytes } from "../limit/memory.ts";
import { delayMsMax, type ServicePeaks } from "./verdict.ts";

/** A service to watch. */
export interface WatchedService {
  readonly process: SupervisedProcess;
  readonly metricsUrl: string;
}

interface Watch {
  /** Whether mutated requests are being sent. */
  readonly isFuzzed: () => boolean;
  /** Called for each delay of the event loop that is too long. */
  readonly onDelay: (name: string, delayMs: number) => void;
}

const everyMs = 500;

/**
 * Reads the memory and the event loop's delay of the services until the signal aborts. The delay is the longest since
 * the last reading: prom-client resets `nodejs_eventloop_lag_max_seconds` when it is read.
 */
export async function watchServices(
  services: readonly WatchedService[],
  { isFuzzed, onDelay }: Watch,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ServicePeaks>> {
  const peaks = new Map(
    services.map(({ process }) => [process.name, { mebibytes: 0, quietDelayMs: 0, fuzzedDelayMs: 0 }]),
  );
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const fuzzedBefore = isFuzzed();
    await systemClock.sleep(everyMs, signal);
    for (const { process, metricsUrl } of services) {
      const peak = peaks.get(process.name);
      if (peak === undefined) continue;
      const lag = await metricValues(metricsUrl.replace(/\/metrics$/, ""), "nodejs_eventloop_lag_max_seconds");
      const delayMs = (lag[""] ?? 0) * 1_000;
      peak.mebibytes = Math.max(peak.mebibytes, await residentMebibytes(process.pid));
      // The first reading contains the start of the process.
      if (isFirst) continue;
      if (delayMs > delayMsMax) onDelay(process.name, delayMs);
      if (fuzzedBefore || isFuzzed()) peak.fuzzedDelayMs = Math.max(peak.fuzzedDelayMs, delayMs);
      else peak.quietDelayMs = Math.max(peak.quietDelayMs, delayMs);
    }
  }
  return peaks;
}
