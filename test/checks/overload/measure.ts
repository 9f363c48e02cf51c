import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { withReceiver } from "../../harness/stack/start-stack.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";
import { AcknowledgedChanges } from "../runner/acknowledged-changes.ts";
import { Counter } from "../runner/counter.ts";
import type { MachineWatch } from "../runner/machine-watch.ts";
import type { StoreWithKey } from "../runner/workload-store.ts";
import { runWriter } from "../runner/writer.ts";
import { type LoadPlan, type StreamPlan, type StreamResult, streamResult } from "./load-plan.ts";
import type { OverloadOptions } from "./options.ts";
import { type AdmittedCounts, clearPlaces, readPlaces } from "./places.ts";
import { observeProcessors } from "./processor-use.ts";
import type { RelayWatch } from "./relay-watch.ts";
import type { OverloadStores } from "./stores.ts";
import type { IdleDetector } from "./until-idle.ts";
import { type Measurement, placesLostIn, type StorePlaces } from "./verdict.ts";

/** The dependencies of every measurement. */
export interface OverloadRig {
  readonly options: OverloadOptions;
  readonly stack: ReturnType<typeof withReceiver>;
  readonly stores: OverloadStores;
  readonly relay: RelayWatch;
  readonly idle: IdleDetector;
  readonly machine: Pick<MachineWatch, "stoodStillSince">;
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Returns the number of the next measurement; the first is 1. */
  nextNumber(): number;
}

/** Options of {@link measure}. */
export interface MeasureOptions {
  /** Name of the measurement in reports. */
  readonly name: string;
  readonly seconds: number;
  readonly load: StreamPlan["load"];
  /** The group of stores that causes the load. */
  readonly from: "flooding" | "leaving";
  /** How long each store in turn sends all requests, in milliseconds; null if each request is from a random store. */
  readonly turnMs: number | null;
  /** Requests per second of the other stores together. */
  readonly othersPerSecond: number;
}

/** A pause of the machine of half a relay's lease, which is renewed more often than that. */
export const standstillMs = 2_500;
const warmUpShare = 0.1;
const invalidShare = 0.05;
const leaveWithinMs = 300;
const changePauseMs = 1_000;
const writers = 2;
// Longer than the registry's pauses between two attempts to return a place in the rate limit.
const returnedWithinMs = 40_000;

/**
 * Generates one load together with the other stores' requests and continuous changes, waits until the database and the
 * registries are idle, and reads from the window logs how many places in the rate limit each store uses.
 */
export async function measure(rig: OverloadRig, options: MeasureOptions): Promise<Measurement> {
  const { stack, stores, relay, idle, machine, signal } = rig;
  const { name, from } = options;
  const number = rig.nextNumber();
  await clearPlaces(stack.collections);
  const relayBefore = await relay.read();
  const startedAt = performance.now();
  const plan = planOf(rig, options, number);
  const parts = [stack.database, ...stack.registries, ...stack.edges, stack.nats, stack.receiver];
  const processes = [...parts.flatMap((part) => (part ? [part.process] : [])), ...stack.notifiers];
  const processorUse = await observeProcessors(processes);
  const changes = startChanges(rig, number);
  const [load, others] = await Promise.all([
    runLoad({ ...plan, stream: loadStream(rig, options) }, signal),
    runLoad({ ...plan, stream: othersStream(rig, options) }, signal),
  ]);
  const processors = await processorUse();
  await changes.stop();
  const idleMs = await idle.untilIdle();
  // Clients that have disconnected do not wait for responses, so work after the planned end of their load counts as
  // busy time.
  const drainMs = from === "leaving" ? Math.max(0, load.drainMs, others.drainMs) : 0;
  const placesIn = (admitted: AdmittedCounts) => [
    ...placesOf(stores.others, others, admitted),
    ...placesOf(stores[from], load, admitted),
  ];
  const admitted = await readPlaces(stack.collections, {
    isSettled: (counts) => placesLostIn(placesIn(counts)) === 0,
    withinMs: rig.options.noShedding ? 0 : returnedWithinMs,
    signal,
  });
  const relayAfter = await relay.read();
  return {
    name,
    load,
    others,
    processors,
    places: placesIn(admitted),
    busyMs: idleMs === null ? null : drainMs + idleMs,
    relayStarts: relayAfter.starts - relayBefore.starts,
    relayFailures: relayAfter.failures - relayBefore.failures,
    // A relay notices within that time that it has lost its lease in a standstill that had just ended.
    stoodStill: machine.stoodStillSince(startedAt - standstillMs),
    changes: changes.acknowledged.count,
    changeCalls: String(changes.calls),
  };
}

/**
 * Generates a load in a worker thread of its own, so that one load's work does not delay the measurement of another.
 *
 * @throws the error of the worker; AbortError when the signal aborts
 */
async function runLoad(plan: LoadPlan, signal: AbortSignal): Promise<StreamResult> {
  const worker = new Worker(new URL("./generator.ts", import.meta.url), { workerData: plan });
  try {
    const [result] = await once(worker, "message", { signal });
    return streamResult.parse(result);
  } finally {
    await worker.terminate();
  }
}

function placesOf(
  stores: readonly StoreWithKey[],
  { stores: ends }: StreamResult,
  admitted: AdmittedCounts,
): StorePlaces[] {
  return stores.flatMap(({ id }, index) => {
    const counts = ends[index];
    return counts === undefined ? [] : [{ counts, admitted: admitted.get(id) ?? 0 }];
  });
}

function planOf(
  { stack, options }: OverloadRig,
  { seconds }: MeasureOptions,
  number: number,
): Omit<LoadPlan, "stream"> {
  const ports = stack.edges.map(({ url }) => Number(new URL(url).port));
  return { ports, seed: options.seed + number, seconds, warmUpSeconds: warmUpShare * seconds };
}

function loadStream({ options, stores }: OverloadRig, { load, from, turnMs }: MeasureOptions): StreamPlan {
  return {
    name: from,
    load,
    turnMs,
    invalidShare,
    connectionsMax: options.connections,
    apiKeys: stores[from].map(({ apiKey }) => apiKey),
    leaveWithinMs: from === "leaving" ? leaveWithinMs : null,
  };
}

function othersStream({ options, stores }: OverloadRig, { othersPerSecond }: MeasureOptions): StreamPlan {
  return {
    name: "others",
    load: { kind: "open", pattern: "steady", perSecond: othersPerSecond },
    apiKeys: stores.others.map(({ apiKey }) => apiKey),
    turnMs: null,
    invalidShare: 0,
    leaveWithinMs: null,
    connectionsMax: options.connections,
  };
}

/** Makes about two changes per second in one store until stopped. */
function startChanges({ options, stack, stores, signal }: OverloadRig, number: number) {
  const acknowledged = new AcknowledgedChanges();
  const calls = new Counter();
  let isStopped = false;
  const setup = {
    seed: options.seed + number,
    stores: [stores.changing],
    registries: stack.registries,
    acknowledged,
    calls,
    signal,
    isEnough: () => isStopped,
    pauseMs: () => changePauseMs,
  };
  const names = Array.from({ length: writers }, (_, index) => `writer-${number}-${index}`);
  const running = Promise.all(names.map((name) => runWriter({ ...setup, name })));
  // Prevents an unhandled rejection; stop() throws the error.
  running.catch(() => undefined);
  const stop = async () => {
    isStopped = true;
    await running;
  };
  return { acknowledged, calls, stop };
}
