import { alternate, type Turn } from "../alternate.ts";
import type { BenchStack } from "../bench-stack.ts";
import { type Comparison, compare, type Spread } from "../compare.ts";
import type { BenchOptions } from "../options.ts";
import type { LoadSide } from "./sides.ts";

/** A comparison with its heading and other measured figures. */
export interface Finding extends Comparison {
  /** Heading in the report. */
  readonly title: string;
  /** Other figures by their names in the JSON output. */
  readonly numbers?: Readonly<Record<string, Spread | number>>;
}

/** Findings of a part by their names in the JSON output. */
export type Findings = Readonly<Record<string, Finding>>;

/** Measures one part of the benchmark. @returns the findings by their names in the JSON output */
export type Part = (stack: BenchStack, options: BenchOptions, signal: AbortSignal) => Promise<Record<string, Finding>>;

/** Creates a finding that consists only of figures, without a comparison of sides. */
export function figuresOnly(title: string, numbers: Finding["numbers"] & {}): Finding {
  return { title, sides: {}, shareOf: {}, numbers };
}

/**
 * Measures the sides in alternating turns, compares them and stops their load generators.
 *
 * @param numbersOf returns other figures of the turns. Default: none
 */
export async function compareSides(
  title: string,
  sides: readonly (LoadSide | Promise<LoadSide>)[],
  { rounds, roundMs: durationMs }: Pick<BenchOptions, "rounds" | "roundMs">,
  signal: AbortSignal,
  numbersOf: (turns: Readonly<Record<string, readonly Turn[]>>) => Finding["numbers"] & {} = () => ({}),
): Promise<Finding> {
  const started = await Promise.all(sides);
  const turns = await alternate(started, { rounds, durationMs, signal });
  await Promise.all(started.map((side) => side.close?.()));
  return { title, ...compare(turns), numbers: numbersOf(turns) };
}
