import type { IncomingMessage } from "node:http";
import { checkEach, checkTogether } from "#shared/config/check-together.ts";
import { discardedBodyBytesMax } from "#shared/http/discard-body.ts";
import { closeHttp, createMetrics, createOperationsServer, listenHttp } from "#shared/http/operations-server.ts";
import { readKeyFiles } from "#shared/keys/key-files.ts";
import { readSecretText } from "#shared/keys/secret-text.ts";
import type { RunningService } from "#shared/lifecycle/run-service.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { observeClientCalls } from "#shared/observe/observe-client-calls.ts";
import { openGrpcTls } from "#shared/rpc/grpc-tls.ts";
import { type Clock, steadyClock, systemClock } from "#shared/time/clock.ts";
import { observeCertificates } from "#shared/tls/observe-certificates.ts";
import { buildApp } from "./app.ts";
import { CursorCodec } from "./certificates/cursor.ts";
import type { EdgeConfig } from "./config.ts";
import { adapterFor } from "./connector/adapters.ts";
import { messageBytesMax } from "./connector/collect-body.ts";
import { createHttpServer } from "./http/http-server.ts";
import { KeyGuard } from "./limits/key-guard.ts";
import { LoadGate } from "./limits/load-gate.ts";
import { PlanRefusals } from "./limits/plan-refusals.ts";
import { recentKeysLoader } from "./limits/recent-keys-loader.ts";
import { listenMsMax } from "./listen/listen-routes.ts";
import { isUpload, uploadBytesMax } from "./pages/collect-uploads.ts";
import { connectClients } from "./registry-client/connect-clients.ts";
import { connectRegistry } from "./registry-client/list-client.ts";
import { settingsPath } from "./settings/model/settings-page.ts";

const operationsGraceMs = 500;

/** A running edge, with the ports on which it listens. */
export interface RunningEdge extends RunningService {
  readonly port: number;
  readonly operationsPort: number;
}

/** Options for tests. */
export interface EdgeOptions {
  /** Maximum age of a stream to a registry replica, in milliseconds. Default: see ListExchangeOptions. */
  readonly streamAgeMs?: number | undefined;
  /** Maximum number of new messages of a store per day. Default: see connectorRoutes. */
  readonly storeMessagesPerDay?: number | undefined;
}

/**
 * Starts the edge, even if the registry is unreachable: requests that need the registry get 503 until it is reachable.
 *
 * @param clock monotonic clock for rate limits, caches and the shutdown delay
 * @throws ConfigError naming all unusable key, secret or TLS files; Error, with the address in its message, if the
 * registry address cannot be parsed or the edge cannot listen on an address
 */
export async function run(
  config: EdgeConfig,
  logger: Logger,
  clock: Clock = steadyClock,
  { streamAgeMs, storeMessagesPerDay }: EdgeOptions = {},
): Promise<RunningEdge> {
  const metrics = createMetrics();
  const [keys, platformSecrets, tls] = await checkTogether([
    Promise.try(readKeyFiles, "EDGE_CURSOR_KEY_FILES", config.cursorKeyFiles),
    Promise.try(secretsOf, config),
    Promise.try(() => {
      const watched = observeCertificates(metrics)("grpc");
      return openGrpcTls(config, { prefix: "EDGE", self: "edge", clock: systemClock, logger, ...watched });
    }),
  ]);
  const { registryAddress: address } = config;
  const calls = { address, security: tls?.channel, onCall: observeClientCalls(metrics) };
  const registry = connectRegistry({ ...calls, streamAgeMs, logger, metrics });
  const unary = connectClients({ ...calls, timeoutMs: config.registryTimeoutMs });
  const { trustedProxies } = config;
  let isStopping = false;
  const keyGuard = new KeyGuard(clock);
  const recentKeys = recentKeysLoader({ registry, keyGuard, clock: steadyClock, logger });
  const app = buildApp({
    ...unary.clients,
    registry,
    cursors: new CursorCodec(keys),
    platformSecrets: { shopify: platformSecrets },
    storeMessagesPerDay,
    settingsFrameAncestors: config.settingsFrameAncestors,
    settingsSignInUrl: config.settingsSignInUrl,
    formKeys: keys,
    pageLookupsMax: config.pageLookupsMax,
    pagesPerSecondMax: config.pagesPerSecondMax,
    clock,
    wallClock: systemClock,
    logger,
    metrics,
    keyGuard,
    planRefusals: new PlanRefusals(clock),
    loadGate: new LoadGate(steadyClock, { totalMax: config.listsMax, perKeyMin: config.listsPerKeyMin }),
    trustedProxies,
    requestTimeoutMs: config.registryTimeoutMs,
    isStopping: () => isStopping,
  });
  const server = createHttpServer({
    handler: app.callback(),
    bodyBytesMaxOf,
    logger,
    clock: systemClock,
    timeouts: {
      headersMs: config.headersTimeoutMs,
      requestMs: config.requestTimeoutMs,
      responseMs: listenMsMax + 2 * config.registryTimeoutMs,
      keepAliveMs: config.keepAliveTimeoutMs,
    },
    connections: { total: config.connectionsMax, perAddress: config.connectionsPerAddressMax },
    trustedProxies,
    metrics,
  });
  const operations = createOperationsServer({
    metrics,
    notReadyReason: () => (isStopping ? "stopping" : server.listening ? undefined : "starting"),
  });
  recentKeys.start();
  const operationsPort = await listenHttp(operations, config.host, config.operationsPort);
  const port = await listenHttp(server, config.host, config.port);
  logger.info({ port, operationsPort, cursorKeys: "configured" }, "listening");
  return {
    port,
    operationsPort,
    async stop() {
      isStopping = true;
      await clock.sleep(config.shutdownDelayMs);
      await recentKeys.stop();
      await closeHttp(server, config.shutdownGraceMs);
      await registry.close();
      unary.close();
      await tls?.close();
      await closeHttp(operations, operationsGraceMs);
    },
  };
}

function secretsOf({ platformSecretFile, platformOldSecretFile }: EdgeConfig): Uint8Array[] {
  if (platformSecretFile === undefined) return [];
  const named = { EDGE_PLATFORM_SECRET_FILE: platformSecretFile, EDGE_PLATFORM_OLD_SECRET_FILE: platformOldSecretFile };
  return checkEach(Object.entries(named), ([variable, file]) => (file ? [readSecretText(variable, file)] : [])).flat();
}

function bodyBytesMaxOf(request: IncomingMessage): number {
  if (isUpload(request, `${settingsPath}/`)) return uploadBytesMax;
  return adapterFor(request) === undefined ? discardedBodyBytesMax : messageBytesMax;
}
