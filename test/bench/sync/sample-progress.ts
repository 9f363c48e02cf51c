import { setTimeout as delay } from "node:timers/promises";
import type { ProgressSample } from "./progress-samples.ts";

const everyMs = 50;

/**
 * Samples the cost of work in progress every 50 ms, and once more when `stop` is called.
 *
 * @param units returns the number of completed units
 * @param cost returns the cost so far
 */
export function sampleProgress(units: () => number, cost: () => Promise<number>) {
  const stopping = new AbortController();
  const sample = async (): Promise<ProgressSample> => ({ units: units(), cost: await cost() });
  const run = async () => {
    const samples = [await sample()];
    while (!stopping.signal.aborted) {
      await delay(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      samples.push(await sample());
    }
    return samples;
  };
  return { samples: run(), stop: () => stopping.abort() };
}
