import { setTimeout as delay } from "node:timers/promises";
import type { Worker } from "./serve-load.ts";

/**
 * Limits the rate of all workers together. When they are late, they do not catch up.
 *
 * @param perSecond calls per second to all workers together; undefined: as many as possible
 */
export function paceWorkers(workers: Worker[], perSecond: number | undefined): Worker[] {
  if (perSecond === undefined) return workers;
  let nextAt = 0;
  return workers.map((work) => async () => {
    const now = performance.now();
    const at = Math.max(now, nextAt);
    nextAt = at + 1_000 / perSecond;
    await delay(at - now);
    return work();
  });
}
