import { readFile } from "node:fs/promises";
import { systemClock } from "#shared/time/clock.ts";
import type { Part } from "../runner/part.ts";
import { median } from "../runner/statistics.ts";

/** How a process's memory went, in MiB. */
export interface MemoryTrend {
  /** The median of the second quarter of the run; the first one is for warming up. */
  readonly before: number;
  /** The median of the last quarter. */
  readonly after: number;
  /** Whether it no longer grows: after is at most 1.15 times before. */
  readonly isFlat: boolean;
}

const growthMax = 1.15;

/** @param samples resident memory at even intervals over the whole run, in MiB */
export function memoryTrend(samples: readonly number[]): MemoryTrend {
  const quarter = samples.length / 4;
  const part = (from: number) => samples.slice(Math.floor(from * quarter), Math.ceil((from + 1) * quarter));
  const before = median(part(1));
  const after = median(part(3));
  return { before, after, isFlat: after / before <= growthMax };
}

/** Reads the resident memory of each part, in MiB, until the signal aborts. @returns the samples, by the parts' names */
export async function followMemory(
  parts: readonly Part[],
  everyMs: number,
  signal: AbortSignal,
): Promise<Record<string, number[]>> {
  const samples = Object.fromEntries(parts.map(({ name }) => [name, [] as number[]]));
  while (!signal.aborted) {
    for (const { name, pid } of parts) {
      const mebibytes = await residentMebibytes(pid);
      samples[name]?.push(mebibytes);
    }
    await systemClock.sleep(everyMs, signal);
  }
  return samples;
}

/**
 * The resident memory of a process (proc_pid_status(5): VmRSS).
 *
 * @returns NaN where there is no such process, or the system does not tell it as Linux does
 */
export async function residentMebibytes(pid: number | null): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1_024;
}
