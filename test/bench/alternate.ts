import type { LoadRound } from "./load/load-process.ts";
import { cpuMsOf } from "./process-cpu.ts";

/** One side of a comparison, such as the service or a baseline. */
export interface Side {
  readonly name: string;
  /** Does the measured work of one turn. */
  round(durationMs: number): Promise<LoadRound>;
  /** Ids of the processes whose CPU time counts for this side, by their names in the report. */
  readonly processes: Readonly<Record<string, number>>;
  /** Prepares a turn; not measured. */
  readonly prepare?: (durationMs: number) => Promise<unknown>;
  /** Completes the work that a turn left behind, so that it does not disturb the next turn; not measured. */
  readonly settle?: () => Promise<unknown>;
}

/** The measurements of one turn of a side. */
export interface Turn extends LoadRound {
  readonly unitsPerSecond: number;
  /** CPU time that each process used per unit, in microseconds. */
  readonly cpuMicrosPerUnit: Readonly<Record<string, number>>;
}

interface AlternateOptions {
  readonly rounds: number;
  readonly durationMs: number;
  readonly signal: AbortSignal;
}

// The first units run slower: while V8 still optimizes code, a fifth of the edge's CPU time is the compiler's.
const warmUpUnits = 6_000;
const warmUpTurnsMax = 4;

/**
 * Measures the sides in alternating turns (A B A B …), so that disturbances on the machine affect all sides alike.
 * Each side first warms up: it takes unmeasured turns until it has completed 6,000 units, but at most four turns and at
 * most `rounds`.
 *
 * @returns the turns by side name, in the order of the sides
 */
export async function alternate(
  sides: readonly Side[],
  { rounds, durationMs, signal }: AlternateOptions,
): Promise<Record<string, Turn[]>> {
  for (const side of sides) {
    for (let turn = 0, units = 0; turn < Math.min(rounds, warmUpTurnsMax) && units < warmUpUnits; turn++)
      units += (await takeTurn(side, durationMs, signal)).units;
  }
  const turns = Object.fromEntries(sides.map(({ name }) => [name, [] as Turn[]]));
  for (let round = 0; round < rounds; round++) {
    for (const side of sides) turns[side.name]?.push(await takeTurn(side, durationMs, signal));
  }
  return turns;
}

async function takeTurn(side: Side, durationMs: number, signal: AbortSignal): Promise<Turn> {
  signal.throwIfAborted();
  await side.prepare?.(durationMs);
  const before = await cpuOf(side.processes);
  const round = await side.round(durationMs);
  const after = await cpuOf(side.processes);
  await side.settle?.();
  return {
    ...round,
    unitsPerSecond: (round.units / round.elapsedMs) * 1_000,
    cpuMicrosPerUnit: Object.fromEntries(
      Object.entries(after).map(([name, ms]) => [name, ((ms - (before[name] ?? 0)) * 1_000) / round.units]),
    ),
  };
}

async function cpuOf(processes: Readonly<Record<string, number>>): Promise<Record<string, number>> {
  const times = Object.entries(processes).map(async ([name, pid]) => [name, await cpuMsOf(pid)] as const);
  return Object.fromEntries(await Promise.all(times));
}
