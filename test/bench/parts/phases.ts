import { quantile } from "../../harness/statistics.ts";
import type { BenchStack } from "../bench-stack.ts";
import { spreadOf } from "../compare.ts";
import type { WorkerTarget } from "../loads/transfer-workers.ts";
import type { BenchOptions } from "../options.ts";
import { busyPercentOf, type Measured, measureUndisturbed, stealPercentOf } from "../steal-time.ts";
import type { Finding } from "./part.ts";
import { calmEventsPerSecond, latenciesAtConstantRate } from "./webhook-latency.ts";

/** A condition under which the latency of other stores is measured. */
interface Phase {
  /** Establishes the condition. */
  start(): Promise<unknown>;
  /** Ends the condition and waits until every event has an outcome. */
  stop(): Promise<unknown>;
}

/** The phases to compare: without and with the disturbance. The same changes are made in both phases. */
interface Phases {
  readonly without: Phase;
  readonly beside: Phase;
}

// Several windows per round, because starting and ending a phase takes a long time.
const windowsOfRound = 3;
const shares = [
  ["p50", 0.5],
  ["p99", 0.99],
] as const;

type Window = Measured<readonly number[]>;

/**
 * Measures the message latency of the target stores in alternating phases, at a rate that leaves the CPUs mostly idle:
 * near the machine's limit, any work beside it would double every wait.
 *
 * @returns the spread of the windows' p50 and p99 for each phase; the ratio of `beside` to `without` for the p50
 *   and p99 of all messages, because the p99 of a single window is mostly chance; and the spread of the steal time
 * @throws Error when a message of the target stores does not arrive
 */
export async function comparePhases(
  stack: BenchStack,
  targets: readonly WorkerTarget[],
  options: BenchOptions,
  phases: Phases,
): Promise<NonNullable<Finding["numbers"]>> {
  const measured = { without: [] as Window[], beside: [] as Window[] };
  const measure = async () => {
    await stack.arrivals.collect(0);
    return (await latenciesAtConstantRate(stack, targets, options, calmEventsPerSecond)).sinceAnswer;
  };
  // The events of the certificates just issued must not count as messages of a phase.
  await stack.deliveries.whenSettled();
  for (let round = 0; round < options.rounds; round++) {
    const order = ["without", "beside"] as const;
    // Every other round runs the phases in reverse order, because the database grows.
    for (const name of round % 2 === 0 ? order : order.toReversed()) {
      // Discards messages of the previous phase.
      await stack.arrivals.collect(0);
      await phases[name].start();
      measured[name].push(...(await measureUndisturbed(measure, { count: windowsOfRound })));
      stack.log(`measured phase "${name}" of round ${round + 1} of ${options.rounds}`);
      await phases[name].stop();
    }
  }
  return comparisonOf(measured.without, measured.beside);
}

function comparisonOf(without: readonly Window[], beside: readonly Window[]) {
  const numbers = shares.flatMap(([name, share]) => {
    const ofEach = (windows: readonly Window[]) => spreadOf(windows.map(({ value }) => quantile(value, share)));
    const allOf = (windows: readonly Window[]) => windows.flatMap(({ value }) => value);
    return [
      [`without_${name}_ms`, ofEach(without)],
      [`beside_${name}_ms`, ofEach(beside)],
      [`rise_${name}_of_all`, quantile(allOf(beside), share) / quantile(allOf(without), share)],
    ] as const;
  });
  return Object.fromEntries([
    ...numbers,
    ["without_busy_percent", busyPercentOf(without)],
    ["beside_busy_percent", busyPercentOf(beside)],
    ["stolen_percent", stealPercentOf([...without, ...beside])],
  ]);
}
