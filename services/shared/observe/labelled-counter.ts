import { Counter, type Registry } from "prom-client";

/** A counter with one label. */
export interface LabelledCounterOptions<Value extends string> {
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
 * @returns a function that increments the series for a label value
 */
export function createLabelledCounter<Value extends string>(
  metrics: Registry,
  { name, help, label, values }: LabelledCounterOptions<Value>,
): (value: Value) => void {
  const counter = new Counter({ name, help, labelNames: [label], registers: [metrics] });
  for (const value of values) counter.inc({ [label]: value }, 0);
  return (value) => counter.inc({ [label]: value });
}
