import { startSamplingMemory } from "../../harness/process-memory.ts";
import { withReceiver } from "../../harness/stack/start-stack.ts";
import { sum } from "../../harness/statistics.ts";
import { abortReason, defineCheck } from "../runner/check.ts";
import { flush, MachineWatch } from "../runner/machine-watch.ts";
import { writerTimeoutMs } from "../runner/workload-store.ts";
import { readEvents, readOutcomes } from "../webhooks/expected-state.ts";
import { settle } from "../webhooks/settle.ts";
import { type OverloadRig, standstillMs } from "./measure.ts";
import { overloadOptions } from "./options.ts";
import { watchRelay } from "./relay-watch.ts";
import { type Measured, rounded, runRounds } from "./rounds.ts";
import { startSlowDatabase } from "./slow-database.ts";
import { createStores } from "./stores.ts";
import { createIdleDetector } from "./until-idle.ts";
import { evaluate } from "./verdict.ts";

const startAndStopMs = 900_000;
// Time allowed after each load for outstanding responses, for the processes to become idle, and for places in the rate
// limit to be returned. Less than the sum of the individual limits, because a run is not expected to reach all limits
// after every load.
const settleMs = 90_000;
const measurementsPerRound = 20;
// Shorter runs end while the processes are still warming up.
const memoryJudgedAfterMs = 600_000;

// If other programs use more than this share of the processors, they distort rates and latencies.
const otherProgramsMax = 0.15;

// The rate limit admits more requests than the database can serve.
const registryVariables = {
  REGISTRY_RATE_LIMIT: "10000",
  // Longer than any measurement, so that the window logs contain every admission of a measurement.
  REGISTRY_RATE_LIMIT_WINDOW_MS: "3600000",
  // At this level, a registry logs that its relay is ready; relay-watch.ts counts these lines.
  REGISTRY_LOG_LEVEL: "info",
};

const withoutShedding = {
  REGISTRY_LIST_CONCURRENCY: "1000",
  REGISTRY_LIST_CONCURRENCY_PER_STORE: "1000",
};

// All clients connect from one address, which must not reach the limit per address.
const edgeVariables = { EDGE_CONNECTIONS_MAX: "30000", EDGE_CONNECTIONS_PER_ADDRESS_MAX: "30000" };

/**
 * `npm run check:overload`: measures the capacity, then the service at 80 % of it, at 5 and 10 times the capacity from
 * one store at a time and from all stores, and at 10 times the capacity from clients that disconnect early.
 */
export const overloadCheck = defineCheck({
  name: "overload",
  options: overloadOptions,
  notes: {
    after: `The last line of the output contains the counts. The check fails unless:
  goodput_ratio          at least 0.9: complete pages per second under overload, divided by the capacity
  other_store_p99_ratio  less than 2: p99 of the other stores, divided by their p99 at 80 % of the capacity
  places_lost            0: places of the rate limit used by requests that got neither a page nor a 400; a client that
                         disconnects may use one
  relay_leases_lost      0: times that the relay stopped leading, except while the machine or its database stood still
  measurements_judged    at least 1: measurements during which neither stood still`,
  },
  limitMs: ({ minutes, seconds }) =>
    startAndStopMs + 60_000 * minutes + measurementsPerRound * (settleMs + 1_000 * seconds),
  start: async ({ options, startStack }) => {
    const { registries, edges, noShedding, commandsAtOnce, commandMs, seed } = options;
    const registry = noShedding
      ? { script: "test/checks/overload/unshed-registry.ts", env: { ...registryVariables, ...withoutShedding } }
      : { env: registryVariables };
    const stack = await startStack({
      registries: Array.from({ length: registries }, () => registry),
      edges: Array.from({ length: edges }, () => ({ env: edgeVariables })),
      notifiers: [{}],
      receiverSeed: seed,
      registryDatabase: async (mongodbUri, supervisor) => {
        if (commandMs === 0) return mongodbUri;
        const proxy = await startSlowDatabase(mongodbUri, { commandsAtOnce, commandMs });
        supervisor.onClose(() => proxy.close());
        return proxy.uri;
      },
      callTimeoutMs: writerTimeoutMs,
    });
    return withReceiver(stack);
  },
  examine: async (stack, { options, signal: stopped, log }) => {
    const stores = await createStores(stack, options);
    const services = [...stack.registries, ...stack.edges].map(({ process }) => process);
    const busy = [stack.database, ...stack.registries].flatMap((part) => (part ? [part.process] : []));
    await using machine = new MachineWatch({ probe: () => flush(stack.collections), limitMs: standstillMs });
    const aborted = AbortSignal.any([stopped, machine.signal]);
    const done = new AbortController();
    const signal = AbortSignal.any([aborted, done.signal]);
    let count = 0;
    const rig: OverloadRig = {
      options,
      stack,
      stores,
      signal,
      log,
      nextNumber: () => ++count,
      relay: await watchRelay(stack),
      machine,
      idle: await createIdleDetector(busy, signal),
    };
    using sampling = startSamplingMemory([...services, ...stack.notifiers], { judgedAfterMs: memoryJudgedAfterMs });
    const measured: Measured = { measurements: [], overloads: [] };
    const { measurements, overloads } = measured;
    let webhooks: WebhookCounts | undefined;
    try {
      await runRounds(rig, measured);
      webhooks = await countWebhooks(rig);
    } catch (error) {
      // A run that ends early is judged by its measurements so far.
      if (!aborted.aborted || measurements.length === 0) throw error;
    } finally {
      done.abort();
    }
    const { seed, seconds, others, short } = options;
    const verdict = evaluate(measurements, overloads, short);
    const { memory_mb, flat } = await sampling.stop();
    const { undelivered = 0, events = null } = webhooks ?? {};
    const findings = [
      ...verdict.findings,
      ...(undelivered > 0 ? [`${undelivered} of ${events} webhooks were not delivered.`] : []),
      ...(flat === false ? ["The memory of a service grew."] : []),
    ];
    const otherPrograms = Math.max(...measurements.map(({ processors }) => processors.otherPrograms));
    if (otherPrograms > otherProgramsMax && !short)
      log("Other programs used the processors: repeat the run on an idle machine to judge latencies.");
    return {
      findings,
      counts: {
        seed,
        short,
        stores: options.stores,
        others,
        seconds,
        capacity_per_second: rounded(Math.max(...overloads.map(({ capacity }) => capacity)), 1),
        goodput_ratio: rounded(verdict.goodputRatio, 2),
        other_store_p99_ratio: rounded(verdict.otherP99Ratio, 2),
        places_lost: verdict.placesLost,
        relay_leases_lost: verdict.relayLeasesLost,
        relay_failures: verdict.relayFailures,
        pages_without_place: verdict.unadmitted,
        rate_limited: verdict.rateLimited,
        unexpected_status: verdict.unexpected,
        others_failed: verdict.othersFailed,
        others_served: sum(overloads.flatMap(({ measurement }) => measurement.others.stores.map(({ pages }) => pages))),
        changes: sum(measurements.map(({ changes }) => changes)),
        webhooks: events,
        webhooks_undelivered: webhooks?.undelivered ?? null,
        busy_after_ms: verdict.busyMs,
        overloads: overloads.length,
        measurements: measurements.length,
        measurements_judged: verdict.judged,
        memory_mb,
        flat,
        other_programs: rounded(otherPrograms, 2),
        total_seconds: Math.round(performance.now() / 1_000),
      },
      passed: findings.length === 0,
      endedEarly: webhooks === undefined ? abortReason(aborted) : undefined,
    };
  },
});

/** Event counts of the store whose certificates the check changes. */
type WebhookCounts = Awaited<ReturnType<typeof countWebhooks>>;

// Longer than the 30 s after which JetStream redelivers a message.
const quietMs = 45_000;

/** Waits until no further outcome is expected or the signal aborts, then counts the events. */
async function countWebhooks({ stack, stores, signal, log }: OverloadRig) {
  const { collections, nats } = stack;
  await settle({ collections, natsUrl: nats.url, quietMs, signal, log });
  const events = (await readEvents(collections)).filter(({ storeId }) => storeId === stores.changing.id);
  const outcomes = await readOutcomes(collections);
  const undelivered = events.filter(({ id }) => outcomes.get(id)?.kind !== "delivered");
  return { events: events.length, undelivered: undelivered.length };
}
