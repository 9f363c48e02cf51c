import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { createAddressGuard } from "#shared/address-guard/address-guard.ts";
import { checkTogether } from "#shared/config/check-together.ts";
import { closeHttp, createMetrics, createOperationsServer, listenHttp } from "#shared/http/operations-server.ts";
import type { RunningService } from "#shared/lifecycle/run-service.ts";
import { natsAccess } from "#shared/nats/nats-access.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { observeClientCalls } from "#shared/observe/observe-client-calls.ts";
import { createGrpcClient } from "#shared/rpc/grpc-client.ts";
import { openGrpcTls } from "#shared/rpc/grpc-tls.ts";
import { steadyClock, systemClock } from "#shared/time/clock.ts";
import { observeCertificates } from "#shared/tls/observe-certificates.ts";
import { readAuthorities } from "#shared/tls/read-authorities.ts";
import type { NotifierConfig } from "./config.ts";
import { observeBacklog } from "./consumer/consumer-backlog.ts";
import { createHandleEvent, type HandleEvent, type HandleEventDeps } from "./consumer/handle-event.ts";
import { JetStreamConsumer } from "./consumer/jet-stream-consumer.ts";
import { MessageDispatcher } from "./consumer/message-dispatcher.ts";
import { notifierMetrics } from "./consumer/notifier-metrics.ts";
import { Semaphore } from "./consumer/semaphore.ts";
import { latencyClassLimits } from "./consumer/store-concurrency.ts";
import { createImageFetcher } from "./images/image-fetcher.ts";
import { Latch } from "./latch.ts";
import { createHealthCheck } from "./registry-client/check-registry-health.ts";
import { observeClockSkew } from "./registry-client/observe-clock-skew.ts";
import { deliveryBatches, registryDeliveries } from "./registry-client/registry-deliveries.ts";
import { RegistryWatch } from "./registry-client/registry-watch.ts";
import { triggerDeliveries } from "./registry-client/trigger-deliveries.ts";
import { triggerMetrics } from "./triggers/trigger-metrics.ts";
import { TriggerSender } from "./triggers/trigger-sender.ts";
import { createDeliver } from "./webhook/deliver.ts";
import { createAddressResolver } from "./webhook/resolve-addresses.ts";
import { deliverySecureContext } from "./webhook/secure-context.ts";
import { createSend } from "./webhook/send-message.ts";
import { TlsSessions } from "./webhook/tls-sessions.ts";

/** A running notifier, with the port of its operations server. */
export interface RunningNotifier extends RunningService {
  readonly operationsPort: number;
}

/** The parts of the notifier that the checks in `test/checks` may replace. */
export interface NotifierOverrides {
  readonly createHandleEvent?: (deps: HandleEventDeps) => HandleEvent;
}

const phaseTimeoutMs = 5_000;

/**
 * Wires and starts the notifier. It waits for NATS and the registry in the background.
 *
 * @throws ConfigError with all faults, if a required TLS file is not configured, if a file that the configuration names
 * is unreadable or invalid, or if the NATS settings contradict each other; Error if the operations server cannot listen
 * on its port
 */
export async function run(
  config: NotifierConfig,
  logger: Logger,
  overrides: NotifierOverrides = {},
): Promise<RunningNotifier> {
  const { createHandleEvent: createHandle = createHandleEvent } = overrides;
  const clock = systemClock;
  const metricsRegistry = createMetrics();
  const metrics = notifierMetrics(metricsRegistry);
  const { extraCaFile } = config;
  const [nats, extraAuthoritiesPem, tls] = await checkTogether([
    Promise.try(natsAccess, "NOTIFIER", config),
    Promise.try(() => (extraCaFile === undefined ? undefined : readAuthorities("NOTIFIER_EXTRA_CA_FILE", extraCaFile))),
    Promise.try(() => {
      const watched = observeCertificates(metricsRegistry)("grpc");
      return openGrpcTls(config, { prefix: "NOTIFIER", self: "notifier", clock, logger, ...watched });
    }),
  ]);
  const connect = {
    secureContext: deliverySecureContext({ extraAuthoritiesPem, groups: config.tlsGroups }),
    guard: createAddressGuard({
      allowedNetworks: config.allowedNetworks,
      allowedHosts: config.allowedHosts,
      refusedNetworks: config.refusedNetworks,
    }),
    resolveAddresses: createAddressResolver(config.dnsServers),
    proxy: config.egressProxy,
    lookUpTimeoutMs: phaseTimeoutMs,
    connectTimeoutMs: phaseTimeoutMs,
    tlsTimeoutMs: phaseTimeoutMs,
  };
  const send = createSend({
    ...connect,
    sessions: new TlsSessions(config.tlsSessionMs, steadyClock),
    sendTimeoutMs: phaseTimeoutMs,
    replyTimeoutMs: config.replyTimeoutMs,
  });

  const transport = createGrpcClient({
    address: config.registryAddress,
    security: tls?.channel,
    onCall: observeClientCalls(metricsRegistry),
  });
  const health = createHealthCheck(config.registryAddress, tls?.channel);
  const watch = new RegistryWatch({ health, clock, logger });
  const notifierId = `${hostname()}-${process.pid}-${randomUUID()}`;
  const calls = registryDeliveries(transport, notifierId);
  const registry = deliveryBatches(calls, watch, steadyClock);

  const handle = createHandle({ ...registry, deliver: createDeliver(send), metrics, logger, clock, steadyClock });
  const storeConcurrency = {
    storeMax: config.storeConcurrencyMax,
    ...latencyClassLimits(config.concurrencyMax),
  };
  const dispatcher = new MessageDispatcher({
    handle,
    quarantine: calls.quarantine,
    storeConcurrency,
    waitingMax: config.concurrencyMax,
    clock,
    metrics,
    logger,
  });
  const consumersReady = new Latch();
  const consumer = new JetStreamConsumer({
    nats,
    dispatcher,
    slots: new Semaphore(config.concurrencyMax),
    concurrencyMax: config.concurrencyMax,
    registryAvailable: watch.available,
    consumersReady,
    clock: steadyClock,
    logger,
  });

  const triggerSender = new TriggerSender({
    registry: triggerDeliveries(transport, notifierId, steadyClock, observeClockSkew(metricsRegistry, clock)),
    send,
    metrics: triggerMetrics(metricsRegistry),
    registryAvailable: watch.available,
    concurrencyMax: config.triggerConcurrencyMax,
    pollIntervalMs: config.triggerPollMs,
    clock,
    steadyClock,
    logger,
  });

  const imageFetcher = createImageFetcher({
    transport,
    connect: { ...connect, sessions: new TlsSessions(0, steadyClock) },
    registryAvailable: watch.available,
    clock,
    logger,
  });

  observeBacklog(() => consumer.backlog(), metricsRegistry);

  let isStopping = false;
  const notReadyReason = () => {
    if (isStopping) return "stopping";
    // Checks the registry first, because it creates the stream.
    if (!watch.available.isOpen) return "waiting for the registry";
    return consumersReady.isOpen ? undefined : "waiting for NATS JetStream";
  };
  const operations = createOperationsServer({ notReadyReason, metrics: metricsRegistry });
  const operationsPort = await listenHttp(operations, config.host, config.operationsPort);
  watch.start();
  consumer.start();
  triggerSender.start();
  imageFetcher.start();
  logger.info({ operationsPort, notifierId }, "notifier started");

  return {
    operationsPort,
    stop: async () => {
      isStopping = true;
      const graceMs = config.shutdownGraceMs;
      await Promise.all([
        consumer.stopPulling(),
        dispatcher.stop(graceMs),
        triggerSender.stop(graceMs),
        imageFetcher.stop(),
        // Nothing is claimed any more, and a check of frozen replicas can take seconds.
        watch.stop(),
      ]);
      await consumer.close();
      health.close();
      transport.close();
      await tls?.close();
      await closeHttp(operations, 1_000);
    },
  };
}
