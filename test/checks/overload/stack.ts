import type { StackReceiver } from "../../harness/receiver/start-receiver.ts";
import { type Stack, startStack } from "../../harness/stack/start-stack.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";
import { writerTimeoutMs } from "../runner/workload-store.ts";
import type { OverloadOptions } from "./options.ts";
import { startSlowDatabase } from "./slow-database.ts";

/** A stack whose rate limit admits more requests than the database can serve. */
export interface OverloadStack extends Stack {
  readonly receiver: StackReceiver;
}

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

/** Starts the stack with one notifier and a receiver. @throws SetupError when a part cannot be started */
export async function startOverloadStack(
  { registries, edges, noShedding, commandsAtOnce, commandMs, seed, noBuild, keep }: OverloadOptions,
  signal: AbortSignal,
  log: Log,
): Promise<OverloadStack> {
  const registry = noShedding
    ? { script: "test/checks/overload/unshed-registry.ts", env: { ...registryVariables, ...withoutShedding } }
    : { env: registryVariables };
  const stack = await startStack({
    name: "check-overload",
    keep,
    restart: true,
    signal,
    log,
    logLevel: "warn",
    buildFast: !noBuild,
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
  const { receiver } = stack;
  if (receiver === undefined) throw new Error("the stack has no receiver");
  return { ...stack, receiver };
}
