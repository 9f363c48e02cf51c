import { cpus } from "node:os";
import { cpuMsOf } from "../../bench/process-cpu.ts";
import { sum } from "../../harness/statistics.ts";
import type { SupervisedProcess } from "../../harness/supervisor/supervised-process.ts";

/** Use of this machine's processors during a measurement, as shares of all processors, 0 to 1. */
export interface ProcessorUse {
  readonly idle: number;
  /** Use by programs that are not part of the check; NaN without /proc or if a process of the check is down. */
  readonly otherPrograms: number;
}

/** Starts observing the processors. @returns a function that returns their use since the start of the observation */
export async function observeProcessors(processes: readonly SupervisedProcess[]): Promise<() => Promise<ProcessorUse>> {
  const read = async () => {
    const times = cpus().map(({ times: { user, nice, sys, idle, irq } }) => ({
      idle,
      total: user + nice + sys + idle + irq,
    }));
    const { user, system } = process.cpuUsage();
    return {
      idleMs: sum(times.map(({ idle }) => idle)),
      totalMs: sum(times.map(({ total }) => total)),
      ownMs: (user + system) / 1_000 + sum(await Promise.all(processes.map(({ pid }) => cpuMsOf(pid ?? 0)))),
    };
  };
  const before = await read();
  return async () => {
    const after = await read();
    const totalMs = after.totalMs - before.totalMs;
    const idle = (after.idleMs - before.idleMs) / totalMs;
    return { idle, otherPrograms: 1 - idle - (after.ownMs - before.ownMs) / totalMs };
  };
}
