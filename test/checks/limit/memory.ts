import { readFile } from "node:fs/promises";
import { systemClock } from "#shared/time/clock.ts";
import { median } from "../../harness/statistics.ts";
import type { SupervisedProcess } from "../../harness/supervisor/supervised-process.ts";

const growthMax = 1.15;
const everyMs = 5_000;
/** Memory is evaluated in runs of at least this many seconds: in shorter runs, the processes are still warming up. */
export const evaluatedFromSeconds = 240;

/** Samples of resident memory in MiB at even intervals, by process name; NaN while a process was not running. */
export type MemorySamples = Readonly<Record<string, readonly number[]>>;

/**
 * Compares the median of the second quarter of a run with that of the last quarter; the first quarter is the warm-up.
 * Growth of up to 15 % counts as flat.
 *
 * @param samples resident memory in MiB at even intervals over the whole run
 */
export function memoryTrend(samples: readonly number[]) {
  const [, before = Number.NaN, , after = Number.NaN] = quarterMedians(samples);
  return { before, after, isFlat: after / before <= growthMax };
}

function quarterMedians(samples: readonly number[]): number[] {
  const quarter = samples.length / 4;
  return [0, 1, 2, 3].map((index) => {
    const part = samples.slice(Math.floor(index * quarter), Math.ceil((index + 1) * quarter));
    return median(part.filter(Number.isFinite));
  });
}

/**
 * Summarizes a run: the median of each quarter by process name, in whole MiB (null when unknown), and whether the
 * memory of every process except the database is flat. The database's memory grows to the size of its cache. `flat` is
 * null for runs of less than four minutes.
 */
export function memoryReport(samples: MemorySamples) {
  const whole = (value: number) => (Number.isFinite(value) ? Math.round(value) : null);
  const services = Object.entries(samples).filter(([name]) => name !== "database");
  const isLong = services.every(([, { length }]) => (length * everyMs) / 1_000 >= evaluatedFromSeconds);
  return {
    memory_mb: Object.fromEntries(Object.entries(samples).map(([name, of]) => [name, quarterMedians(of).map(whole)])),
    flat: isLong ? services.every(([, of]) => memoryTrend(of).isFlat) : null,
  };
}

/**
 * Summarizes a run: the medians of {@link memoryTrend} by process name, in whole MiB, and whether the memory of every
 * process except the database is flat. The database's memory grows to the size of its cache.
 */
export function memoryTrends(samples: MemorySamples) {
  const trends = Object.entries(samples).map(([name, of]) => [name, memoryTrend(of)] as const);
  return {
    memory_mb: Object.fromEntries(
      trends.map(([name, { before, after }]) => [name, { before: Math.round(before), after: Math.round(after) }]),
    ),
    isFlat: trends.every(([name, trend]) => name === "database" || trend.isFlat),
  };
}

/** Samples the memory of processes every 5 s until `stop` is called; `stop` returns the samples. */
export function startSamplingMemory(processes: readonly Pick<SupervisedProcess, "name" | "pid">[]) {
  const done = new AbortController();
  const samples = sampleMemory(processes, everyMs, done.signal);
  return {
    stop: () => {
      done.abort();
      return samples;
    },
  };
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

/**
 * Returns the resident memory of a process in MiB: its present size (VmRSS in proc_pid_status(5), the default) or its
 * largest so far (VmHWM). NaN for a missing process or without /proc.
 */
export async function residentMebibytes(pid: number | null, field: "VmRSS" | "VmHWM" = "VmRSS"): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const line = status.split("\n").find((each) => each.startsWith(`${field}:`));
  return Number(/(\d+) kB$/.exec(line ?? "")?.[1] ?? Number.NaN) / 1_024;
}
