import type { Log } from "../../harness/supervisor/supervisor.ts";
import { AcknowledgedChanges } from "../runner/acknowledged-changes.ts";
import { Counter } from "../runner/counter.ts";
import { runWriter } from "../runner/writer.ts";
import type { LoadPlan, StreamPlan, StreamResult } from "./load-plan.ts";
import type { OverloadOptions } from "./options.ts";
import { clearPlaces, readPlaces } from "./places.ts";
import type { RelayWatch } from "./relay-watch.ts";
import { runLoad } from "./run-load.ts";
import type { OverloadStack } from "./stack.ts";
import type { OverloadStores } from "./stores.ts";
import type { IdleDetector } from "./until-idle.ts";
import type { Measurement, StorePlaces } from "./verdict.ts";

/** What every measurement needs. */
export interface OverloadRig {
  readonly options: OverloadOptions;
  readonly stack: OverloadStack;
  readonly stores: OverloadStores;
  readonly relay: RelayWatch;
  readonly idle: IdleDetector;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Options of {@link measure}. */
export interface MeasureOptions {
  /** Text for reports. */
  readonly name: string;
  readonly seconds: number;
  /** Undefined: only clients that disconnect cause the load. */
  readonly flood: Pick<StreamPlan, "load" | "turnMs"> | undefined;
  /** Requests per second whose clients disconnect early. */
  readonly leavingPerSecond: number;
  /** Requests per second of the other stores together. */
  readonly othersPerSecond: number;
}

const warmUpShare = 0.1;
const invalidShare = 0.05;
const leaveWithinMs = 300;
const changePauseMs = 1_000;
const writers = 2;
let measurements = 0;

/**
 * Generates one load beside the other stores' requests and constant changes, waits until the services are idle, and
 * compares the window logs with the responses.
 */
export async function measure(rig: OverloadRig, options: MeasureOptions): Promise<Measurement> {
  const { stack, stores, relay, idle, signal } = rig;
  const { name } = options;
  await clearPlaces(stack.collections);
  const relayBefore = await relay.read();
  const plan = planOf(rig, options);
  const changes = startChanges(rig);
  const [load, [others]] = await Promise.all([
    runLoad({ ...plan, streams: loadStreams(rig, options) }, signal),
    runLoad({ ...plan, streams: [othersStream(rig, options)] }, signal),
  ]);
  if (others === undefined) throw new Error("the generator returned no result");
  const flood = load.find(({ name: stream }) => stream === "flooding");
  const leaving = load.find(({ name: stream }) => stream === "leaving");
  await changes.stop();
  const idleMs = await idle.untilIdle();
  const drainMs = Math.max(...[...load, others].map((stream) => stream.drainMs));
  const admitted = await readPlaces(stack.collections, signal);
  const relayAfter = await relay.read();
  const placesOf = (of: readonly { readonly id: string }[], result: StreamResult | undefined): StorePlaces[] =>
    of.flatMap(({ id }, index) => {
      const counts = result?.stores[index];
      return counts === undefined ? [] : [{ counts, admitted: admitted.get(id) ?? 0 }];
    });
  return {
    ...{ name, flood, leaving, others },
    busyMs: idleMs === null ? null : drainMs + idleMs,
    places: [...placesOf(stores.flooding, flood), ...placesOf(stores.others, others)],
    placesOfLeavers: placesOf(stores.leaving, leaving),
    relayStarts: relayAfter.starts - relayBefore.starts,
    relayFailures: relayAfter.failures - relayBefore.failures,
    changes: changes.acknowledged.count,
    changeCalls: String(changes.calls),
  };
}

function planOf({ stack, options }: OverloadRig, { seconds }: MeasureOptions): Omit<LoadPlan, "streams"> {
  const ports = stack.edges.map(({ url }) => Number(new URL(url).port));
  return { ports, seed: options.seed + measurements++, seconds, warmUpSeconds: warmUpShare * seconds };
}

function loadStreams({ options, stores }: OverloadRig, { flood, leavingPerSecond }: MeasureOptions): StreamPlan[] {
  const common = { invalidShare, connectionsMax: options.connections };
  const keysOf = (of: readonly { readonly apiKey: string }[]) => of.map(({ apiKey }) => apiKey);
  const streams: StreamPlan[] = [];
  if (flood !== undefined)
    streams.push({ ...common, ...flood, name: "flooding", apiKeys: keysOf(stores.flooding), leaveWithinMs: null });
  if (leavingPerSecond > 0) {
    const load = { kind: "open", pattern: "poisson", perSecond: leavingPerSecond } as const;
    const apiKeys = keysOf(stores.leaving);
    streams.push({ ...common, name: "leaving", load, apiKeys, turnMs: null, leaveWithinMs });
  }
  return streams;
}

function othersStream({ options, stores }: OverloadRig, { othersPerSecond }: MeasureOptions): StreamPlan {
  return {
    name: "others",
    load: { kind: "open", pattern: "steady", perSecond: othersPerSecond },
    apiKeys: stores.others.map(({ apiKey }) => apiKey),
    ...{ turnMs: null, invalidShare: 0, leaveWithinMs: null, connectionsMax: options.connections },
  };
}

/** Changes certificates of one store, about twice a second, until stopped. */
function startChanges({ options, stack, stores, signal }: OverloadRig) {
  const acknowledged = new AcknowledgedChanges();
  const calls = new Counter();
  let isStopped = false;
  const setup = {
    ...{ seed: options.seed + measurements, stores: [stores.changing], registries: stack.registries },
    ...{ acknowledged, calls, signal, isEnough: () => isStopped, pauseMs: () => changePauseMs },
  };
  const names = Array.from({ length: writers }, (_, index) => `writer-${measurements}-${index}`);
  const running = Promise.all(names.map((name) => runWriter({ ...setup, name })));
  // stop() reports the error.
  running.catch(() => undefined);
  const stop = async () => {
    isStopped = true;
    await running;
  };
  return { acknowledged, calls, stop };
}
