import { readFile } from "node:fs/promises";
import { systemClock } from "#shared/time/clock.ts";
import { median } from "./statistics.ts";
import type { SupervisedProcess } from "./supervisor/supervised-process.ts";

const growthMax = 1.15;

/**
 * Compares the median of the second quarter of a run with that of the last quarter; the first quarter is the warm-up.
 * Growth of up to 15 % counts as flat.
 *
 * @param samples resident memory in MiB at even intervals over the whole run; NaN while the process was not running
 */
export function memoryTrend(samples: readonly number[]) {
  const quarter = samples.length / 4;
  const medianOf = (index: number) =>
    median(samples.slice(Math.floor(index * quarter), Math.ceil((index + 1) * quarter)).filter(Number.isFinite));
  const [before, after] = [medianOf(1), medianOf(3)];
  return { before, after, isFlat: after / before <= growthMax };
}

/**
 * Samples the resident memory of processes until `stop` is called or the result is disposed of.
 *
 * @param everyMs interval; default: 5 s
 * @param judgedAfterMs shorter runs are not judged, because the processes are still warming up; default: four minutes
 * @returns `stop`, which returns the medians of {@link memoryTrend} by process name, in whole MiB (null when unknown),
 *   and whether the memory of every process except the database is flat, null for a run that is not judged. The
 *   database's memory grows to the size of its cache.
 */
export function startSamplingMemory(
  processes: readonly Pick<SupervisedProcess, "name" | "pid">[],
  { everyMs = 5_000, judgedAfterMs = 240_000 } = {},
) {
  const startedAt = performance.now();
  const done = new AbortController();
  const sampling = sampleMemory(processes, everyMs, done.signal);
  const whole = (value: number) => (Number.isFinite(value) ? Math.round(value) : null);
  return {
    stop: async () => {
      const isJudged = performance.now() - startedAt >= judgedAfterMs;
      done.abort();
      const trends = Array.from(await sampling, ([name, samples]) => ({ name, ...memoryTrend(samples) }));
      const figures = trends.map(({ name, before, after }) => [name, { before: whole(before), after: whole(after) }]);
      const isFlat = trends.every((trend) => trend.name === "database" || trend.isFlat);
      return { memory_mb: Object.fromEntries(figures), flat: isJudged ? isFlat : null };
    },
    [Symbol.dispose]: () => done.abort(),
  };
}

async function sampleMemory(
  processes: readonly Pick<SupervisedProcess, "name" | "pid">[],
  everyMs: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const samples = new Map(processes.map(({ name }) => [name, [] as number[]]));
  while (!signal.aborted) {
    for (const { name, pid } of processes) samples.get(name)?.push(await residentMebibytes(pid));
    await systemClock.sleep(everyMs, signal);
  }
  return samples;
}

/**
 * Returns the resident memory of a process in MiB: its present size (VmRSS in proc_pid_status(5), the default) or its
 * largest so far (VmHWM). NaN for a missing process or without /proc.
 */
export async function residentMebibytes(pid: number | null, field: "VmRSS" | "VmHWM" = "VmRSS"): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const line = status.split("\n").find((each) => each.startsWith(`${field}:`));
  return Number(/(\d+) kB$/.exec(line ?? "")?.[1] ?? Number.NaN) / 1_024;
}
