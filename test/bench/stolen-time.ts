import { readFile } from "node:fs/promises";
import { type Spread, spreadOf } from "./compare.ts";

/** Something measured, and how much of the machine's time its host gave to others meanwhile. */
export interface Measured<T> {
  readonly value: T;
  /** Of all processors' time, 0 to 1; 0 where the system does not tell. */
  readonly stolenShare: number;
}

/** What is measured again when the machine was not there for it. */
export interface UndisturbedOptions {
  /** How many are wanted. */
  readonly count: number;
  /** How often it is measured at the most. Default three times as many. */
  readonly triesMax?: number;
  /** What share of time others may have had. Default 0.005. */
  readonly stolenShareMax?: number;
}

/**
 * Measures until enough of it was undisturbed. On a shared machine the host takes the processors away for tens of
 * milliseconds at a time, and the slowest hundredth of anything tells of nothing else.
 *
 * @returns as many as are wanted, those that were disturbed least
 */
export async function measureUndisturbed<T>(
  measure: () => Promise<T>,
  { count, triesMax = 3 * count, stolenShareMax = 0.005 }: UndisturbedOptions,
): Promise<Measured<T>[]> {
  const all: Measured<T>[] = [];
  const isEnough = () => all.filter(({ stolenShare }) => stolenShare <= stolenShareMax).length >= count;
  while (all.length < triesMax && !isEnough()) {
    const before = await processorTime();
    const value = await measure();
    all.push({ value, stolenShare: stolenShareOf(before, await processorTime()) });
  }
  return all.toSorted((a, b) => a.stolenShare - b.stolenShare).slice(0, count);
}

/** For the report. */
export function stolenPercentOf(measured: readonly Measured<unknown>[]): Spread {
  return spreadOf(measured.map(({ stolenShare }) => 100 * stolenShare));
}

async function processorTime(): Promise<string> {
  return readFile("/proc/stat", "utf8").catch(() => "");
}

/** The share from the text of /proc/stat (proc_stat(5)) before and after: in its first line, field 8 is stolen time. */
export function stolenShareOf(before: string, after: string): number {
  // The two last fields, guests' time, are in the first two already.
  const fieldsOf = (stat: string) =>
    (stat.match(/^cpu +(.*)$/m)?.[1] ?? "").split(" ").slice(0, 8).map(Number);
  const earlier = fieldsOf(before);
  const used = fieldsOf(after).map((timestamps, index) => timestamps - (earlier[index] ?? Number.NaN));
  const total = used.reduce((sum, timestamps) => sum + timestamps, 0);
  return total > 0 ? (used[7] ?? 0) / total : 0;
}
