import { setTimeout as delay } from "node:timers/promises";
import type { Worker } from "./serve-load.ts";

/**
 * Limits the total rate of all workers. Workers that fall behind do not catch up.
 *
 * @param perSecond maximum number of calls per second, over all workers; undefined means no limit
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
