import type { LoadRound } from "./load/messages.ts";
import { cpuMsOf } from "./process-cpu.ts";

/** One side of a comparison. */
export interface Side {
  readonly name: string;
  /** One turn. */
  round(durationMs: number): Promise<LoadRound>;
  /** Processes that work for it, by what they are called in the report. */
  readonly processes: Readonly<Record<string, number>>;
  /** Makes ready what a turn needs. Default: nothing. */
  readonly prepare?: (durationMs: number) => Promise<unknown>;
  /** Brings to an end what a turn has left behind, so that it does not disturb the next one. Default: nothing. */
  readonly settle?: () => Promise<unknown>;
}

/** One turn, measured. */
export interface Turn extends LoadRound {
  readonly unitsPerSecond: number;
  /** CPU time of each process for each unit, in microseconds. */
  readonly cpuMicrosPerUnit: Readonly<Record<string, number>>;
}

/** How the sides take turns. */
export interface AlternateOptions {
  readonly rounds: number;
  readonly durationMs: number;
  readonly signal: AbortSignal;
}

// Programs are slower until what they do again and again has been compiled.
const warmUpUnits = 1_500;
const warmUpTurnsMax = 4;

/**
 * Lets sides take turns, A B A B …, so that whatever else the machine does meets all of them alike. Before that each of
 * them takes a few turns that do not count, no more than rounds.
 *
 * @returns the turns of each side, by its name, in the order of the sides
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
