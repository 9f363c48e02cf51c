import { median } from "../checks/runner/statistics.ts";
import type { Turn } from "./alternate.ts";

/** Several measurements of one thing. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** The turns of one side. */
export interface SideResult {
  readonly perSecond: Spread;
  /** CPU time of each process for each unit, the median. */
  readonly cpuMicrosPerUnit: Readonly<Record<string, number>>;
}

/** What the turns of several sides show. */
export interface Comparison {
  readonly sides: Readonly<Record<string, SideResult>>;
  /** The first side's rate as a share of each other side's, round by round. */
  readonly shareOf: Readonly<Record<string, Spread>>;
}

/** Compares the first side with each of the others. A share is taken within a round, whose turns met the same machine. */
export function compare(turns: Readonly<Record<string, readonly Turn[]>>): Comparison {
  const [[, ours] = ["", []], ...others] = Object.entries(turns);
  return {
    sides: mapValues(turns, resultOf),
    shareOf: mapValues(Object.fromEntries(others), (theirs) =>
      spreadOf(
        ours.map(({ unitsPerSecond }, round) => unitsPerSecond / (theirs[round]?.unitsPerSecond ?? 0)),
      ),
    ),
  };
}

/** The spread of some values. */
export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

function resultOf(turns: readonly Turn[]): SideResult {
  const processes = Object.keys(turns[0]?.cpuMicrosPerUnit ?? {});
  return {
    perSecond: spreadOf(turns.map(({ unitsPerSecond }) => unitsPerSecond)),
    cpuMicrosPerUnit: Object.fromEntries(
      processes.map((name) => [
        name,
        median(turns.map(({ cpuMicrosPerUnit }) => cpuMicrosPerUnit[name] ?? Number.NaN)),
      ]),
    ),
  };
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
