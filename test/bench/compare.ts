import { median } from "../harness/statistics.ts";
import type { Turn } from "./alternate.ts";

/** Median and range of several measurements. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

interface SideResult {
  readonly perSecond: Spread;
  /** Median of the CPU time that each process used per unit, in microseconds. */
  readonly cpuMicrosPerUnit: Readonly<Record<string, number>>;
}

/** Results of all sides, and the rate of the first side relative to that of each other side. */
export interface Comparison {
  readonly sides: Readonly<Record<string, SideResult>>;
  /** The first side's rate divided by each other side's rate, round by round; keyed by the other side's name. */
  readonly shareOf: Readonly<Record<string, Spread>>;
}

/**
 * Compares the first side with each other side, round by round, because the turns of a round ran under similar
 * conditions.
 */
export function compare(turns: Readonly<Record<string, readonly Turn[]>>): Comparison {
  const [[, ours] = ["", []], ...others] = Object.entries(turns);
  return {
    sides: mapValues(turns, resultOf),
    shareOf: mapValues(Object.fromEntries(others), (theirs) =>
      spreadOf(ours.map(({ unitsPerSecond }, round) => unitsPerSecond / (theirs[round]?.unitsPerSecond ?? 0))),
    ),
  };
}

/** Returns the median and the range of the values. */
export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/**
 * Returns the CPU time per unit of each turn, in microseconds, summed over those of the processes that were measured;
 * NaN if none was.
 */
export function cpuOf(turns: readonly Turn[] = [], ...processes: string[]): number[] {
  return turns.map(({ cpuMicrosPerUnit }) => {
    const times = processes.flatMap((name) => cpuMicrosPerUnit[name] ?? []);
    return times.length === 0 ? Number.NaN : times.reduce((sum, micros) => sum + micros, 0);
  });
}

/** Returns the median and the range of the ratios of one side's values to the other's, round by round. */
export function ratioOf(ours: readonly number[], theirs: readonly number[]): Spread {
  return spreadOf(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));
}

function resultOf(turns: readonly Turn[]): SideResult {
  const processes = Object.keys(turns[0]?.cpuMicrosPerUnit ?? {});
  return {
    perSecond: spreadOf(turns.map(({ unitsPerSecond }) => unitsPerSecond)),
    cpuMicrosPerUnit: Object.fromEntries(
      processes.map((name) => [name, median(turns.map((turn) => turn.cpuMicrosPerUnit[name] ?? Number.NaN))]),
    ),
  };
}

function mapValues<From, To>(record: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
