import { flag, integer, seed, stackOptions } from "../../../deploy/local/stack/command-line.ts";
import { inStore } from "../../harness/in-store.ts";
import { actorRandom } from "../../harness/seeded-random.ts";
import { withReceiver } from "../../harness/stack/start-stack.ts";
import { defineCheck } from "../runner/check.ts";
import { flush, MachineWatch } from "../runner/machine-watch.ts";
import { Workload } from "../runner/workload.ts";
import { unlimited, writerTimeoutMs } from "../runner/workload-store.ts";
import { evaluateStack } from "../webhooks/evaluate-stack.ts";
import { violationCounts, violations } from "../webhooks/verdict.ts";
import { createWebhookStores, type WebhookKind } from "../webhooks/webhook-stores.ts";
import { ListLoad } from "./list-load.ts";
import { ReadyEndpoints } from "./ready-endpoints.ts";
import { RollingRestarts } from "./rolling-restarts.ts";

const shortRestarts = 3;

// Each writer changes a certificate about twice in a row, then pauses, which leaves processor time for the restarts.
const sameCertificateProbability = 0.5;
const pauseMs = 200;

// A claim without an outcome expires after a minute, and JetStream redelivers its message every 30 s.
const quietMs = 120_000;

// Clients learn within a fraction of a second that a replica is not ready. In Kubernetes, it takes seconds until every
// node knows this, so the chart sets longer delays.
const shutdownDelayMs = 3_000;
const patienceMs = 30_000;
const registryOptions = {
  env: {
    ...unlimited,
    REGISTRY_SHUTDOWN_DELAY_MS: String(shutdownDelayMs),
    REGISTRY_SHUTDOWN_GRACE_MS: String(patienceMs),
  },
};
// Longer times than the defaults: the check is about restarts, so requests must not time out on a slow machine.
const edgeOptions = {
  env: {
    EDGE_SHUTDOWN_DELAY_MS: String(shutdownDelayMs),
    EDGE_SHUTDOWN_GRACE_MS: String(patienceMs),
    EDGE_REGISTRY_TIMEOUT_MS: String(patienceMs),
  },
};

const kinds: readonly WebhookKind[] = [
  { receiver: "answers", format: "v2", isSigned: true },
  { receiver: "answers", format: "v2", isSigned: false },
];

/** `npm run check:rolling`: services restart while clients list certificates and writers change them. */
export const rollingCheck = defineCheck({
  name: "rolling",
  options: {
    restarts: integer(1, 1_000, "rolling restarts of all services").default(20),
    short: flag("3 rolling restarts"),
    seed,
    stores: integer(1, 100, "stores, each with a webhook").default(8),
    writers: integer(1, 100, "writers, each with one change in progress").default(4),
    clients: integer(2, 100, "clients of the list, each with one request at a time").default(8),
    ignoreReadiness: flag("sends list requests to edges that are not ready, too; the check is expected to fail"),
    ...stackOptions,
  },
  zero: {
    failed_requests:
      "list requests without a complete page; no request is repeated, and none is judged that a standstill interrupted",
    ...violations,
    unclean_stops: "processes that did not exit with 0 within 60 s of SIGTERM",
    crashed: "process exits that the check did not cause",
  },
  notes: {
    after: `The check also fails if standstills interrupted more than 2 percent of the list requests, and more than one of
each client (interrupted_requests).`,
  },
  // Two replicas of each service, with mutual TLS, and a receiver.
  start: async ({ options, startStack }) =>
    withReceiver(
      await startStack({
        registries: [registryOptions, registryOptions],
        edges: [edgeOptions, edgeOptions],
        notifiers: [{}, {}],
        receiverSeed: options.seed,
        callTimeoutMs: writerTimeoutMs,
      }),
    ),
  examine: async (stack, { options, signal, log }) => {
    const { registries, edges, notifiers, receiver, supervisor, collections } = stack;
    const { seed, writers } = options;
    const random = actorRandom(seed, "restarts and stores");
    const registry = random.pick(registries);
    const stores = await createWebhookStores(options.stores, receiver.url, registry, kinds);
    const keys = await Promise.all(
      stores.map(({ id: storeId }) => registry.admin.createApiKey({ label: "check" }, inStore(storeId))),
    );

    const all = edges.map(({ url, metricsUrl }) => ({ url, readyUrl: new URL("/readyz", metricsUrl).href }));
    await using ready = await ReadyEndpoints.open(all);
    const endpoints = options.ignoreReadiness ? () => all : () => ready.list();
    // Clients that stand still for the delay send requests to a replica that has stopped meanwhile.
    await using machine = new MachineWatch({ probe: () => flush(collections), limitMs: shutdownDelayMs / 3 });
    const load = new ListLoad({ apiKeys: keys.map(({ apiKey }) => apiKey), endpoints, seed, machine });
    const services = [registries.map(({ process }) => process), edges.map(({ process }) => process), notifiers];
    const count = options.short ? shortRestarts : options.restarts;
    const restarts = new RollingRestarts({ services, count, random });
    const ends = AbortSignal.any([signal, machine.signal]);
    const workload = new Workload({ seed, writers, registries, signal: ends, log });
    const unfinished = await workload.run({
      stores,
      sameCertificateProbability,
      pauseMs: () => pauseMs,
      isEnough: () => restarts.isDone,
      background: [...load.clients(options.clients), (_, ended) => restarts.run(ended)],
      progress: () =>
        `${restarts.completed} of ${count} rolling restarts (${restarts.processes} processes), ` +
        `${load.requests} list requests, ${load.failures.length} failed, ${workload.changes()} changes`,
    });

    // A process that is stopped finishes its deliveries, so no restart explains an interrupted delivery.
    const evaluated = await evaluateStack({ stack, stores, kills: 0, quietMs, waits: true, signal, log });
    const { verdict, events } = evaluated;
    const endedEarly = unfinished ?? (evaluated.isSettled ? undefined : "stopped before every event had an outcome");
    const crashes = supervisor.unexpectedExits;
    // One request of each client: as many as a single standstill interrupts.
    const isUnjudged = load.wasInterruptedTooOften(options.clients);
    const unjudged = `standstills interrupted ${load.interrupted} of ${load.requests} list requests: too many`;
    return {
      lines: [`writer calls: ${workload.calls}`],
      findings: [
        ...crashes,
        ...restarts.uncleanStops,
        ...load.failures,
        ...(isUnjudged ? [unjudged] : []),
        ...verdict.findings,
      ],
      counts: {
        seed,
        restarts: restarts.completed,
        processes: restarts.processes,
        requests: load.requests,
        events,
        posts: verdict.posts,
        failed_requests: load.failures.length,
        interrupted_requests: load.interrupted,
        ...violationCounts(verdict),
        unclean_stops: restarts.uncleanStops.length,
        crashed: crashes.length,
        stores: options.stores,
        seconds: Math.round(performance.now() / 1_000),
        complete: endedEarly === undefined,
      },
      passed: load.requests > 0 && events > 0 && !isUnjudged,
      endedEarly,
    };
  },
});
