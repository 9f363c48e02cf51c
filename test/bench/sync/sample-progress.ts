import { setTimeout as delay } from "node:timers/promises";
import type { ProgressSample } from "./progress-samples.ts";

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
