import { pino } from "pino";
import { Registry } from "prom-client";
import { plaintext } from "#shared/rpc/grpc-tls.ts";
import { steadyClock, systemClock } from "#shared/time/clock.ts";
import { apiRoutes, buildApp, routerOf } from "../../services/edge/app.ts";
import { CursorCodec } from "../../services/edge/certificates/cursor.ts";
import { edgeConfig } from "../../services/edge/config.ts";
import { KeyGuard, keyGuardLimits } from "../../services/edge/limits/key-guard.ts";
import { LoadGate } from "../../services/edge/limits/load-gate.ts";
import { PlanRefusals } from "../../services/edge/limits/plan-refusals.ts";
import { recentKeysLoader } from "../../services/edge/limits/recent-keys-loader.ts";
import { connectClients } from "../../services/edge/registry-client/connect-clients.ts";
import { connectRegistry } from "../../services/edge/registry-client/list-client.ts";
import type { Serve } from "./world/http.ts";

const logger = pino({ level: "silent" });
const keys = [Buffer.alloc(32, 9)] as const;
// Short, so that a history replaces streams.
const streamAgeMs = 45_000;
// More than a history has: an edge allocates its caches when it starts.
const keysMax = 5_000;

/** The secret with which the simulated platform signs its messages. */
export const platformSecret = Buffer.from("platform secret");

/** Starts an edge, wired as in services/edge/run.ts, in the process that calls this function. */
export function startEdge(registryAddress: string): Serve {
  const config = edgeConfig.load({
    EDGE_REGISTRY_ADDRESS: registryAddress,
    EDGE_CURSOR_KEY_FILES: "none",
    EDGE_GRPC_TLS: "off",
    // So low that a history reaches them.
    EDGE_LISTS_MAX: "12",
    EDGE_LISTS_PER_KEY_MIN: "2",
  });
  const clock = steadyClock;
  const metrics = new Registry();
  const calls = { address: config.registryAddress, security: plaintext, timeoutMs: config.registryTimeoutMs };
  const registry = connectRegistry({ ...calls, streamAgeMs, logger, metrics });
  const keyGuard = new KeyGuard(clock, { ...keyGuardLimits, knownKeysMax: keysMax, entriesMax: keysMax });
  recentKeysLoader({ registry, keyGuard, clock, logger }).start();
  const deps = {
    ...connectClients(calls).clients,
    registry,
    cursors: new CursorCodec(keys),
    platformSecrets: { shopify: [platformSecret] },
    settingsFrameAncestors: [],
    settingsSignInUrl: undefined,
    formKeys: keys,
    pageLookupsMax: config.pageLookupsMax,
    pagesPerSecondMax: config.pagesPerSecondMax,
    clock,
    wallClock: systemClock,
    logger,
    metrics,
    keyGuard,
    planRefusals: new PlanRefusals(clock, { keysMax }),
    loadGate: new LoadGate(clock, { totalMax: config.listsMax, perKeyMin: config.listsPerKeyMin }),
    trustedProxies: [],
    requestTimeoutMs: config.registryTimeoutMs,
    isStopping: () => false,
  };
  // Without the pages.
  return buildApp(deps, (all) => ({ router: routerOf(apiRoutes(all)) })).callback();
}
