import { readFile } from "node:fs/promises";
import { systemClock } from "#shared/time/clock.ts";
import { median } from "../../harness/statistics.ts";
import type { SupervisedProcess } from "../../harness/supervisor/supervised-process.ts";

const growthMax = 1.15;

/**
 * Compares the median of the second quarter of a run with that of the last quarter; the first quarter is the warm-up.
 *
 * @param samples resident memory in MiB at even intervals over the whole run
 */
export function memoryTrend(samples: readonly number[]) {
  const quarter = samples.length / 4;
  const part = (from: number) => samples.slice(Math.floor(from * quarter), Math.ceil((from + 1) * quarter));
  const before = median(part(1));
  const after = median(part(3));
  return { before, after, isFlat: after / before <= growthMax };
}

/** Samples resident memory in MiB until the signal aborts. @returns the samples by process name */
export async function sampleMemory(
  processes: readonly Pick<SupervisedProcess, "name" | "pid">[],
  everyMs: number,
  signal: AbortSignal,
): Promise<Record<string, number[]>> {
  const samples = Object.fromEntries(processes.map(({ name }) => [name, [] as number[]]));
  while (!signal.aborted) {
    for (const { name, pid } of processes) {
      samples[name]?.push(await residentMebibytes(pid));
    }
    await systemClock.sleep(everyMs, signal);
  }
  return samples;
}

/** Returns VmRSS of a process (proc_pid_status(5)) in MiB; NaN for a missing process and on systems without /proc. */
export async function residentMebibytes(pid: number | null): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1_024;
}
