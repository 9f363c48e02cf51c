import { readFile } from "node:fs/promises";
import type { Collections } from "../../services/registry/mongo/documents/collections.ts";
import type { StackRegistry, StackSecrets } from "../harness/stack/start-stack.ts";
import { partOf, startStack } from "../harness/stack/start-stack.ts";
import type { Log } from "../harness/supervisor/supervisor.ts";
import { type Arrivals, arrivalsAt } from "./arrivals.ts";
import { type DeliveryPause, openDeliveryPause } from "./delivery-pause.ts";
import type { RegistryTarget } from "./load/registry-target.ts";
import type { BenchOptions } from "./options.ts";

/** Maximum number of list requests per store in any 60 s; high, because a refused request fails most measurements. */
export const rateLimit = 1_000;

/** Environment variables, by service. */
export type StackVariables = Readonly<
  Partial<Record<"registry" | "edge" | "notifier", Readonly<Record<string, string>>>>
>;

/** The measured system: database, NATS, one registry, one edge, one notifier and a receiver. */
export interface BenchStack {
  /** Kind of the database server, such as `mongod`. */
  readonly databaseKind: string;
  readonly registry: StackRegistry;
  /** Address and TLS files of the registry, for the setup of load processes. */
  readonly registryTarget: RegistryTarget;
  /** Process ids, by process name. */
  readonly pids: Readonly<Record<"database" | "messages" | "registry" | "notifier" | "receiver", number>>;
  /** The registry's database. */
  readonly collections: Collections;
  readonly edge: { readonly port: number; readonly pid: number };
  /** Files with the keys, secrets and certificates of the stack. */
  readonly secrets: StackSecrets;
  readonly natsUrl: string;
  /** URLs of the services' `/metrics`. */
  readonly metricsUrls: Readonly<Record<"registry" | "edge" | "notifier", string>>;
  /** Connection string of the registry's database. */
  readonly databaseUri: string;
  /** Connection string of the baselines' database, on the same server. */
  readonly baselineUri: string;
  readonly deliveries: DeliveryPause;
  readonly arrivals: Arrivals;
  /** Certificate of the CA that issued the receiver's TLS certificate. */
  readonly caPem: string;
  /** PEM files of the receiver's certificate, which the notifier trusts, and of the receiver's private key. */
  readonly receiverFiles: { readonly certFile: string; readonly keyFile: string };
  readonly log: Log;
  /** Registers a cleanup that {@link close} runs. */
  onClose(cleanup: () => Promise<unknown>): void;
  /** Stops all processes and, unless `keep` is set, deletes their data. */
  close(): Promise<void>;
}

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
): Promise<BenchStack> {
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
      caPem: await readFile(secrets.caFile, "utf8"),
      receiverFiles: { certFile: secrets.receiver.cert, keyFile: secrets.receiver.key },
      onClose: (cleanup) => supervisor.onClose(cleanup),
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
