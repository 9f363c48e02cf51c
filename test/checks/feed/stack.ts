import { type Stack, startStack } from "../../harness/stack/start-stack.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";
import { writerTimeoutMs } from "../runner/workload-store.ts";
import type { FeedOptions } from "./options.ts";

/** Environment variables that set a registry's rate limit so high that it has no effect. */
export const unlimited = { REGISTRY_RATE_LIMIT: "10000", REGISTRY_RATE_LIMIT_WINDOW_MS: "1000" };

/**
 * Starts three registries and two edges, which distribute their calls over the registries.
 *
 * @param edgeEnv additional environment variables of the edges
 * @throws SetupError when a part cannot be started
 */
export function startFeedStack(
  {
    plainClock,
    noBuild,
    keep,
    uri,
  }: Pick<FeedOptions, "plainClock" | "noBuild" | "keep"> & Partial<Pick<FeedOptions, "uri">>,
  signal: AbortSignal,
  log: Log,
  edgeEnv: Readonly<Record<string, string>> = {},
): Promise<Stack> {
  const script = plainClock ? "test/checks/feed/plain-clock-registry.ts" : undefined;
  return startStack({
    name: "check-feed",
    keep,
    restart: true,
    mongodbUri: uri,
    signal,
    log,
    buildFast: !noBuild,
    registries: Array.from({ length: 3 }, () => ({ script, env: unlimited })),
    edges: [{ env: edgeEnv }, { env: edgeEnv }],
    logLevel: "warn",
    callTimeoutMs: writerTimeoutMs,
  });
}
