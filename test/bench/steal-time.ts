import { readFile } from "node:fs/promises";
import { type Spread, spreadOf } from "./compare.ts";

/** A measured value and the steal time during its measurement: CPU time that the hypervisor gave to other machines. */
export interface Measured<T> {
  readonly value: T;
  /** Share of all CPU time, 0 to 1; 0 where the system does not report it. */
  readonly stealShare: number;
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
    all.push({ value, stealShare: stealShareOf(before, await readStat()) });
  }
  return all.toSorted((a, b) => a.stealShare - b.stealShare).slice(0, count);
}

const readStat = () => readFile("/proc/stat", "utf8").catch(() => "");

/** Returns the median and the range of the steal shares, in percent. */
export function stealPercentOf(measured: readonly Measured<unknown>[]): Spread {
  return spreadOf(measured.map(({ stealShare }) => 100 * stealShare));
}

/**
 * Computes the steal share between two readings of /proc/stat; steal time is value 8 of the first line (proc_stat(5)).
 */
export function stealShareOf(before: string, after: string): number {
  // Excludes values 9 and 10, guest time, which values 1 and 2 already include.
  const fieldsOf = (stat: string) => (stat.match(/^cpu +(.*)$/m)?.[1] ?? "").split(" ").slice(0, 8).map(Number);
  const earlier = fieldsOf(before);
  const used = fieldsOf(after).map((ticks, index) => ticks - (earlier[index] ?? Number.NaN));
  const total = used.reduce((sum, ticks) => sum + ticks, 0);
  return total > 0 ? (used[7] ?? 0) / total : 0;
}
