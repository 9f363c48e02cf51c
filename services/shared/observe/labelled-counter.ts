import { Counter, type Registry } from "prom-client";

interface LabelledCounterOptions<Value extends string> {
  readonly name: string;
  readonly help: string;
  readonly label: string;
  /** All values of the label. */
  readonly values: readonly Value[];
}

/**
 * Registers a counter and initializes the series of every label value to 0: otherwise `rate()` would miss the first
 * increment.
 *
 * @returns a function that adds a number, by default 1, to the series of a label value
 */
export function createLabelledCounter<Value extends string>(
  metrics: Registry,
  { name, help, label, values }: LabelledCounterOptions<Value>,
): (value: Value, count?: number) => void {
  const counter = new Counter({ name, help, labelNames: [label], registers: [metrics] });
  for (const value of values) counter.inc({ [label]: value }, 0);
  return (value, count = 1) => counter.inc({ [label]: value }, count);
}
