import { actorRandom } from "../../harness/seeded-random.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";
import { AcknowledgedChanges } from "../runner/acknowledged-changes.ts";
import { Counter } from "../runner/counter.ts";
import { type CheckReport, runCheck } from "../runner/run-check.ts";
import { runWorkload } from "../runner/run-workload.ts";
import { evaluateStack } from "../webhooks/evaluate-stack.ts";
import { createWebhookStores, type WebhookKind } from "../webhooks/webhook-stores.ts";
import { ListLoad } from "./list-load.ts";
import { type RollingOptions, restartsOf, rollingCommand } from "./options.ts";
import { ReadyEndpoints } from "./ready-endpoints.ts";
import { reportOf } from "./report.ts";
import { RollingRestarts } from "./rolling-restarts.ts";
import { type RollingStack, startRollingStack } from "./stack.ts";

// Each writer changes a certificate about twice in a row, then pauses, which leaves processor time for the restarts.
const sameCertificateProbability = 0.5;
const pauseMs = 200;

// A claim without an outcome expires after a minute, and JetStream redelivers its message every 30 s.
const quietMs = 120_000;

const kinds: readonly WebhookKind[] = [
  { receiver: "answers", format: "v2", isSigned: true },
  { receiver: "answers", format: "v2", isSigned: false },
];

/** Runs the rolling-restart check: services restart while clients list certificates and writers change them. */
export const runRollingCheck = () =>
  runCheck(rollingCommand, (options) => ({
    seed: options.seed,
    start: (signal, log) => startRollingStack(options, signal, log),
    examine: (stack, signal, log) => examine(options, stack, signal, log),
  }));

async function examine(
  options: RollingOptions,
  stack: RollingStack,
  signal: AbortSignal,
  log: Log,
): Promise<CheckReport> {
  const { registries, edges, notifiers, receiver } = stack;
  const { seed, writers } = options;
  const random = actorRandom(seed, "restarts and stores");
  const registry = random.pick(registries);
  const stores = await createWebhookStores(options.stores, receiver.url, registry, kinds);
  const keys = await Promise.all(
    stores.map(({ id: storeId }) => registry.admin.createApiKey({ storeId, label: "check" })),
  );

  const all = edges.map(({ url, metricsUrl }) => ({ url, readyUrl: new URL("/readyz", metricsUrl).href }));
  await using ready = await ReadyEndpoints.open(all);
  const endpoints = options.ignoreReadiness ? () => all : () => ready.list();
  const load = new ListLoad({ apiKeys: keys.map(({ apiKey }) => apiKey), endpoints, seed });
  const services = [registries.map(({ process }) => process), edges.map(({ process }) => process), notifiers];
  const count = restartsOf(options);
  const restarts = new RollingRestarts({ services, count, random });
  const calls = new Counter();
  const acknowledged = new AcknowledgedChanges();
  const unfinished = await runWorkload({
    seed,
    writers,
    stores,
    registries,
    acknowledged,
    calls,
    killer: undefined,
    signal,
    log,
    sameCertificateProbability,
    pauseMs: () => pauseMs,
    isEnough: () => restarts.isDone,
    background: [...load.clients(options.clients), (_, ended) => restarts.run(ended)],
    progress: () =>
      `${restarts.completed} of ${count} rolling restarts (${restarts.processes} processes), ` +
      `${load.requests} list requests, ${load.failures.length} failed, ${acknowledged.count} changes`,
  });

  // A process that is stopped finishes its deliveries, so no restart explains an interrupted delivery.
  const evaluated = await evaluateStack({ stack, stores, kills: 0, quietMs, waits: true, signal, log });
  return reportOf(options, {
    restarts,
    load,
    calls,
    events: evaluated.events,
    verdict: evaluated.verdict,
    crashes: stack.supervisor.unexpectedExits,
    endedEarly: unfinished ?? (evaluated.isSettled ? undefined : "stopped before every event had an outcome"),
  });
}
