import { systemClock } from "#shared/time/clock.ts";
import { cpuMsOf } from "../../bench/process-cpu.ts";
import { sum } from "../../harness/statistics.ts";
import type { SupervisedProcess } from "../../harness/supervisor/supervised-process.ts";

/** Measures how long processes remain busy after a load has ended. */
export interface IdleDetector {
  /**
   * Waits until the processes are idle, but for about 60 s at most.
   *
   * @returns the milliseconds until the processes were idle or the time was up; null without /proc or if a process is
   * down
   */
  untilIdle(): Promise<number | null>;
}

const restMs = 3_000;
const intervalMs = 400;
const giveUpMs = 60_000;
// Added to twice the baseline, as a share of one core: the relay and the database also work without requests.
const additionalShare = 0.15;

/** Creates a detector. The processes must be at rest, because their CPU use at rest is measured as the baseline. */
export async function createIdleDetector(
  processes: readonly SupervisedProcess[],
  signal: AbortSignal,
): Promise<IdleDetector> {
  const cpuMs = async () => sum(await Promise.all(processes.map(({ pid }) => cpuMsOf(pid ?? 0))));
  /** Returns the share of a core that the processes use in the next `ms` milliseconds. */
  const shareIn = async (ms: number) => {
    const [before, from] = [await cpuMs(), performance.now()];
    await systemClock.sleep(ms, signal);
    return ((await cpuMs()) - before) / (performance.now() - from);
  };
  const idleShare = 2 * (await shareIn(restMs)) + additionalShare;
  return {
    untilIdle: async () => {
      const startedAt = performance.now();
      for (;;) {
        const busyMs = Math.round(performance.now() - startedAt);
        const share = await shareIn(intervalMs);
        signal.throwIfAborted();
        if (Number.isNaN(share)) return null;
        if (share <= idleShare || busyMs >= giveUpMs) return busyMs;
      }
    },
  };
}
