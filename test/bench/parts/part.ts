import { alternate } from "../alternate.ts";
import type { BenchStack } from "../bench-stack.ts";
import { type Comparison, compare, type Spread } from "../compare.ts";
import type { BenchOptions } from "../options.ts";
import type { LoadSide } from "./sides.ts";

/** One thing that was measured. */
export interface Finding extends Comparison {
  /** For people. */
  readonly title: string;
  /** What else there is to tell, by what it is called in the report. */
  readonly numbers?: Readonly<Record<string, Spread | number>>;
}

/** A part of the benchmark: measures on a stack and tells its findings, by their names in the JSON output. */
export type Part = (
  stack: BenchStack,
  options: BenchOptions,
  signal: AbortSignal,
) => Promise<Record<string, Finding>>;

/** Lets sides take turns and compares them; their processes end then. */
export async function findOut(
  title: string,
  sides: readonly Promise<LoadSide>[],
  { rounds, roundMs: durationMs }: Pick<BenchOptions, "rounds" | "roundMs">,
  signal: AbortSignal,
): Promise<Finding> {
  const started = await Promise.all(sides);
  const turns = await alternate(started, { rounds, durationMs, signal });
  await Promise.all(started.map((side) => side.close()));
  return { title, ...compare(turns) };
}
