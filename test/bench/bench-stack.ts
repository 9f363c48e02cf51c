import { readFile } from "node:fs/promises";
import { partOf, startStack } from "../harness/stack/start-stack.ts";
import type { Log } from "../harness/supervisor/supervisor.ts";
import { arrivalsAt } from "./arrivals.ts";
import { openDeliveryPause } from "./delivery-pause.ts";
import type { BenchOptions } from "./options.ts";

/** Maximum number of list requests per store in any 60 s; high, because a refused request fails most measurements. */
export const rateLimit = 1_000;

/** Environment variables, by service. */
export type StackVariables = Readonly<
  Partial<Record<"registry" | "edge" | "notifier", Readonly<Record<string, string>>>>
>;

/** The measured system: database, NATS, one registry, one edge, one notifier and a receiver. */
export type BenchStack = Awaited<ReturnType<typeof startBenchStack>>;

/**
 * Starts the stack. By default, gRPC uses no TLS.
 *
 * @param env additional variables of the services
 * @throws SetupError when a server or service cannot be installed or started; all processes are stopped first
 */
export async function startBenchStack(
  { noBuild, keep, tls = false }: Pick<BenchOptions, "noBuild" | "keep"> & Partial<Pick<BenchOptions, "tls">>,
  signal: AbortSignal,
  log: Log,
  env: StackVariables = {},
) {
  const stack = await startStack({
    name: "bench",
    keep,
    signal,
    log,
    buildFast: !noBuild,
    receiverSeed: 1,
    tls,
    registries: [{ env: { REGISTRY_RATE_LIMIT: String(rateLimit), REGISTRY_PAGE_READS: "snapshot", ...env.registry } }],
    edges: [{ env: env.edge ?? {} }],
    notifiers: [{ env: env.notifier ?? {} }],
  });
  const { supervisor, database, nats, receiver, collections, secrets, mongodbUri } = stack;
  try {
    if (database === undefined || receiver === undefined) throw new Error("the stack has no database or no receiver");
    const deliveries = await openDeliveryPause(nats.url, collections);
    supervisor.onClose(() => deliveries.close());
    const registry = partOf(stack.registries);
    const edge = partOf(stack.edges);
    // The baselines' database, on the same server.
    const baselineUri = new URL(database.url);
    baselineUri.pathname = "/baseline";
    const pids = {
      database: pidOf(database.process),
      messages: pidOf(nats.process),
      registry: pidOf(registry.process),
      notifier: pidOf(partOf(stack.notifiers)),
      receiver: pidOf(receiver.process),
    };
    return {
      // For the setup of load processes.
      registryTarget: { address: registry.address, grpc: secrets.grpc },
      databaseKind: database.kind,
      registry,
      pids,
      collections,
      deliveries,
      log,
      edge: { port: Number(new URL(edge.url).port), pid: pidOf(edge.process) },
      secrets,
      natsUrl: nats.url,
      metricsUrls: {
        registry: registry.metricsUrl,
        edge: edge.metricsUrl,
        notifier: partOf(stack.notifierMetricsUrls),
      },
      databaseUri: mongodbUri,
      baselineUri: baselineUri.href,
      arrivals: arrivalsAt(receiver),
      // Of the authority that issued the receiver's certificate.
      caPem: await readFile(secrets.caFile, "utf8"),
      onClose: (cleanup: () => Promise<unknown>) => supervisor.onClose(cleanup),
      // Stops all processes and, unless `keep` is set, deletes their data.
      close: () => stack.close(),
    };
  } catch (error) {
    await stack.close();
    throw error;
  }
}

function pidOf({ name, pid }: { readonly name: string; readonly pid: number | null }): number {
  if (pid === null) throw new Error(`${name} is not running`);
  return pid;
}
