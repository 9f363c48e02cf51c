import { readFile } from "node:fs/promises";
import { type Spread, spreadOf } from "./compare.ts";

/** How this machine's CPU time was used, as shares of all CPU time, 0 to 1; 0 where the system does not report it. */
interface CpuUse {
  /** CPU time that the hypervisor gave to other machines. */
  readonly stealShare: number;
  /** CPU time of this machine's processes and kernel. */
  readonly busyShare: number;
}

/** A measured value, and the use of CPU time during its measurement. */
export interface Measured<T> extends CpuUse {
  readonly value: T;
}

interface UndisturbedOptions {
  readonly count: number;
  /** Maximum number of measurements. Default three times `count`. */
  readonly triesMax?: number;
  /** Maximum steal share of an undisturbed measurement. Default 0.005. */
  readonly stealShareMax?: number;
}

/**
 * Repeats a measurement until `count` repetitions were undisturbed, but at most `triesMax` times. The hypervisor takes
 * CPUs from a shared machine for tens of milliseconds at a time, which would dominate every 99th percentile.
 *
 * @returns the `count` least disturbed measurements
 */
export async function measureUndisturbed<T>(
  measure: () => Promise<T>,
  { count, triesMax = 3 * count, stealShareMax = 0.005 }: UndisturbedOptions,
): Promise<Measured<T>[]> {
  const all: Measured<T>[] = [];
  const isEnough = () => all.filter(({ stealShare }) => stealShare <= stealShareMax).length >= count;
  while (all.length < triesMax && !isEnough()) {
    const before = await readStat();
    const value = await measure();
    const { stealShare, busyShare } = cpuUseOf(before, await readStat());
    all.push({ value, stealShare, busyShare });
  }
  return all.toSorted((a, b) => a.stealShare - b.stealShare).slice(0, count);
}

const readStat = () => readFile("/proc/stat", "utf8").catch(() => "");

/** Returns the median and the range of the steal shares, in percent. */
export function stealPercentOf(measured: readonly Measured<unknown>[]): Spread {
  return spreadOf(measured.map(({ stealShare }) => 100 * stealShare));
}

/**
 * Returns the median and the range of the busy shares, in percent. Latencies above about 80 percent are mostly waits
 * for a CPU, and grow much faster than the work.
 */
export function busyPercentOf(measured: readonly Measured<unknown>[]): Spread {
  return spreadOf(measured.map(({ busyShare }) => 100 * busyShare));
}

/**
 * Computes the use between two readings of /proc/stat. In its first line, values 4 and 5 are idle time and value 8 is
 * steal time (proc_stat(5)).
 */
export function cpuUseOf(before: string, after: string): CpuUse {
  // Excludes values 9 and 10, guest time, which values 1 and 2 already include.
  const fieldsOf = (stat: string) => (stat.match(/^cpu +(.*)$/m)?.[1] ?? "").split(" ").slice(0, 8).map(Number);
  const earlier = fieldsOf(before);
  const used = fieldsOf(after).map((ticks, index) => ticks - (earlier[index] ?? Number.NaN));
  const total = used.reduce((sum, ticks) => sum + ticks, 0);
  if (!(total > 0)) return { stealShare: 0, busyShare: 0 };
  const [idle = 0, waiting = 0] = used.slice(3, 5);
  const stolen = used[7] ?? 0;
  return { stealShare: stolen / total, busyShare: (total - idle - waiting - stolen) / total };
}
