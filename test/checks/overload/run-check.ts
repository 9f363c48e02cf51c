import type { Log } from "../../harness/supervisor/supervisor.ts";
import { sampleMemory } from "../limit/memory.ts";
import { type CheckReport, runCheck } from "../runner/run-check.ts";
import type { OverloadRig } from "./measure.ts";
import { type OverloadOptions, overloadCommand } from "./options.ts";
import { watchRelay } from "./relay-watch.ts";
import { reportOf } from "./report.ts";
import { type Measured, runRounds } from "./rounds.ts";
import { type OverloadStack, startOverloadStack } from "./stack.ts";
import { createStores } from "./stores.ts";
import { createIdleDetector } from "./until-idle.ts";
import { evaluate } from "./verdict.ts";
import { countWebhooks, type WebhookCounts } from "./webhooks.ts";

const startAndStopMs = 900_000;
// Time allowed after each load for outstanding responses, for the processes to become idle, and for places in the rate
// limit to be returned. Less than the sum of the individual limits, because a run is not expected to reach all limits
// after every load.
const settleMs = 90_000;
const measurementsPerRound = 20;
const memoryEveryMs = 5_000;

/**
 * Runs the overload check: measures the capacity, then the service at 80 % of it, at 5 and 10 times the capacity from
 * one store at a time and from all stores, and at 10 times the capacity from clients that disconnect early.
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
    options,
    stack,
    stores,
    signal,
    log,
    nextNumber: () => ++measurements,
    relay: await watchRelay(stack),
    idle: await createIdleDetector(busy, signal),
  };
  const sampling = sampleMemory([...services, ...stack.notifiers], memoryEveryMs, signal);
  const measured: Measured = { measurements: [], overloads: [] };
  let webhooks: WebhookCounts | undefined;
  try {
    await runRounds(rig, measured);
    webhooks = await countWebhooks(rig);
  } catch (error) {
    // A run that ends early is judged by its measurements so far.
    if (!aborted.aborted || measured.measurements.length === 0) throw error;
  } finally {
    done.abort();
  }
  const verdict = evaluate(measured.measurements, measured.overloads, options.short);
  return reportOf(options, { ...measured, verdict, webhooks, memory: await sampling });
}
