import type { StackReceiver } from "../../harness/receiver/start-receiver.ts";
import { type Stack, startStack } from "../../harness/stack/start-stack.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";
import { unlimited } from "../feed/stack.ts";
import { writerTimeoutMs } from "../runner/workload-store.ts";
import type { RollingOptions } from "./options.ts";

/** Two replicas of each service, with mutual TLS, and a receiver. */
export interface RollingStack extends Stack {
  readonly receiver: StackReceiver;
}

// Clients learn within a fraction of a second that a replica is not ready. In Kubernetes, it takes seconds until every
// node knows this, so the chart sets longer delays.
const shutdownDelayMs = "1000";

/** Starts the stack. @throws SetupError when a part cannot be started */
export async function startRollingStack(
  { keep, noBuild, seed }: RollingOptions,
  signal: AbortSignal,
  log: Log,
): Promise<RollingStack> {
  const registry = { env: { ...unlimited, REGISTRY_SHUTDOWN_DELAY_MS: shutdownDelayMs } };
  const edge = { env: { EDGE_SHUTDOWN_DELAY_MS: shutdownDelayMs } };
  const stack = await startStack({
    name: "check-rolling",
    keep,
    restart: true,
    signal,
    log,
    logLevel: "warn",
    buildFast: !noBuild,
    registries: [registry, registry],
    edges: [edge, edge],
    notifiers: [{}, {}],
    receiverSeed: seed,
    callTimeoutMs: writerTimeoutMs,
  });
  const { receiver } = stack;
  if (receiver === undefined) throw new Error("the stack has no receiver");
  return { ...stack, receiver };
}
