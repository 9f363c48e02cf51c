import type { Log } from "../../harness/supervisor/supervisor.ts";
import { sampleMemory } from "../limit/memory.ts";
import { type CheckReport, runCheck } from "../runner/run-check.ts";
import { measureClosedLoop, pagesPerSecondMax, searchCapacity } from "./capacity.ts";
import { measure, type OverloadRig } from "./measure.ts";
import { type OverloadOptions, overloadCommand } from "./options.ts";
import { watchRelay } from "./relay-watch.ts";
import { measurementLine, overloadLine, reportOf } from "./report.ts";
import { type OverloadStack, startOverloadStack } from "./stack.ts";
import { createStores } from "./stores.ts";
import { createIdleDetector } from "./until-idle.ts";
import { evaluate, goodputOf, type Measurement, type Overload } from "./verdict.ts";
import { countWebhooks } from "./webhooks.ts";

const startAndStopMs = 900_000;
// Waiting for responses, for idle services and for the window logs.
const settleMs = 90_000;
const measurementsPerRound = 20;
const memoryEveryMs = 5_000;
const steadyShare = 0.8;
// Less than the share that a fair division of the capacity among all stores gives them.
const othersShare = 0.1;
const othersPerSecondMin = 0.5;
// Short turns keep the window logs as short as those of stores that send requests at the same time.
const turnMs = 1_000;

/**
 * Runs the overload check: measures the capacity, the latencies at 80 % of it, and then loads of 5 and 10 times the
 * capacity, from one store at a time and from all stores.
 */
export const runOverloadCheck = () =>
  runCheck(overloadCommand, (options) => ({
    seed: options.seed,
    limitMs: startAndStopMs + 60_000 * options.minutes + measurementsPerRound * (settleMs + 1_000 * options.seconds),
    start: (signal, log) => startOverloadStack(options, signal, log),
    examine: (stack, signal, log) => examine(options, stack, signal, log),
  }));

async function examine(
  options: OverloadOptions,
  stack: OverloadStack,
  aborted: AbortSignal,
  log: Log,
): Promise<CheckReport> {
  const stores = await createStores(stack, options);
  const done = new AbortController();
  const signal = AbortSignal.any([aborted, done.signal]);
  const services = [...stack.registries, ...stack.edges].map(({ process }) => process);
  const busy = [stack.database, ...stack.registries].flatMap((part) => (part ? [part.process] : []));
  let measurements = 0;
  const rig: OverloadRig = {
    ...{ options, stack, stores, signal, log, nextNumber: () => ++measurements },
    relay: await watchRelay(stack),
    idle: await createIdleDetector(busy, signal),
  };
  const sampling = sampleMemory([...services, ...stack.notifiers], memoryEveryMs, signal);
  try {
    const { measurements, overloads } = await runRounds(rig);
    const webhooks = await countWebhooks(rig);
    done.abort();
    const verdict = evaluate(measurements, overloads, options.short);
    return reportOf(options, { measurements, overloads, verdict, webhooks, memory: await sampling });
  } finally {
    done.abort();
  }
}

async function runRounds(rig: OverloadRig) {
  const { options, signal, log } = rig;
  const measurements: Measurement[] = [];
  const overloads: Overload[] = [];
  const onMeasured = (measurement: Measurement) => {
    measurements.push(measurement);
    log(measurementLine(measurement));
  };
  const endAt = performance.now() + 60_000 * options.minutes;
  do {
    for await (const overload of round(rig, onMeasured)) {
      overloads.push(overload);
      log(overloadLine(overload));
    }
    signal.throwIfAborted();
  } while (performance.now() < endAt);
  return { measurements, overloads };
}

async function* round(rig: OverloadRig, onMeasured: (measurement: Measurement) => void): AsyncGenerator<Overload> {
  const { seconds, short } = rig.options;
  const { perSecond, clients } = await searchCapacity(rig, onMeasured);
  // A short run measures too briefly: it causes an overload whatever it has measured.
  const highest = short ? Math.max(perSecond, pagesPerSecondMax(rig.options)) : perSecond;
  const othersPerSecond = Math.max(othersPerSecondMin, othersShare * highest);
  const offer = async (name: string, perSecond: number, from: "flooding" | "leaving", turn: number | null = null) => {
    const load = {
      kind: "open",
      pattern: "poisson",
      perSecond: Math.max(othersPerSecondMin, perSecond - othersPerSecond),
    } as const;
    const measurement = await measure(rig, { name, seconds, load, from, turnMs: turn, othersPerSecond });
    onMeasured(measurement);
    return measurement;
  };
  const capacityNow = async () => {
    const measurement = await measureClosedLoop(rig, clients, short ? seconds : seconds / 2);
    onMeasured(measurement);
    return measurement;
  };
  const steady = await offer("80 % of the capacity", steadyShare * highest, "flooding");
  const plans = (short ? [10] : [5, 10]).flatMap((times) => [
    { times, from: "one store", turn: turnMs },
    ...(short ? [] : [{ times, from: "all stores", turn: null }]),
  ]);
  let before = await capacityNow();
  for (const { times, from, turn } of plans) {
    const name = `${times} times the capacity from ${from}`;
    const measurement = await offer(name, times * highest, "flooding", turn);
    const after = await capacityNow();
    yield { measurement, steady, capacity: (goodputOf(before) + goodputOf(after)) / 2 };
    before = after;
  }
  if (!short) await offer("10 times the capacity from clients that disconnect", 10 * highest, "leaving");
}
