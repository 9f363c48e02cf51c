import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { createAddressGuard } from "#shared/address-guard/address-guard.ts";
import {
  closeHttp,
  createMetrics,
  createOperationsServer,
  listenHttp,
} from "#shared/http/operations-server.ts";
import type { RunningService } from "#shared/lifecycle/run-service.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { createGrpcClient } from "#shared/rpc/grpc-client.ts";
import { steadyClock, systemClock } from "#shared/time/clock.ts";
import type { NotifierConfig } from "./config.ts";
import { createHandleEvent, type HandleEvent, type HandleEventDeps } from "./consumer/handle-event.ts";
import { JetStreamConsumer } from "./consumer/jet-stream-consumer.ts";
import { MessageDispatcher } from "./consumer/message-dispatcher.ts";
import { notifierMetrics } from "./consumer/notifier-metrics.ts";
import { Semaphore } from "./consumer/semaphore.ts";
import { storeShares } from "./consumer/store-shares.ts";
import type { OnStep } from "./delivery-step.ts";
import { Gate } from "./gate.ts";
import { createHealthCheck } from "./registry-client/check-registry-health.ts";
import { deliveryBatches } from "./registry-client/delivery-batches.ts";
import { registryDeliveries } from "./registry-client/registry-deliveries.ts";
import { RegistryWatch } from "./registry-client/registry-watch.ts";
import { createDeliver } from "./webhook/deliver.ts";
import { readAuthorities } from "./webhook/extra-authorities.ts";
import { createAddressResolver } from "./webhook/resolve-addresses.ts";
import { deliverySecureContext } from "./webhook/secure-context.ts";

/** The notifier, running. */
export interface RunningNotifier extends RunningService {
  readonly operationsPort: number;
}

/** What a check may put in the place of the real thing, or beside it. */
export interface NotifierOverrides {
  readonly onStep?: OnStep;
  /** Makes the function that handles an event. */
  readonly createHandleEvent?: (deps: HandleEventDeps) => HandleEvent;
}

const lookUpTimeoutMs = 5_000;
const connectTimeoutMs = 5_000;
const tlsTimeoutMs = 5_000;
const sendTimeoutMs = 5_000;

/**
 * Wires the notifier and starts it. NATS and the registry may come later.
 *
 * @throws ConfigError when the file of extra authorities cannot be used; Error, in one sentence, when the operations port
 * is taken
 */
export async function run(
  config: NotifierConfig,
  logger: Logger,
  overrides: NotifierOverrides = {},
): Promise<RunningNotifier> {
  const { onStep, createHandleEvent: createHandle = createHandleEvent } = overrides;
  const clock = systemClock;
  const registryOfMetrics = createMetrics();
  const metrics = notifierMetrics(registryOfMetrics);
  const extraCaFile = config.extraCaFile;
  const extraAuthoritiesPem =
    extraCaFile === undefined ? undefined : readAuthorities("NOTIFIER_EXTRA_CA_FILE", extraCaFile);
  const deliver = createDeliver({
    secureContext: deliverySecureContext({ extraAuthoritiesPem, groups: config.tlsGroups }),
    guard: createAddressGuard({
      allowedNetworks: config.allowedNetworks,
      allowedHosts: config.allowedHosts,
      refusedNetworks: config.refusedNetworks,
    }),
    resolveAddresses: createAddressResolver(config.dnsServers),
    proxy: config.egressProxy,
    lookUpTimeoutMs,
    connectTimeoutMs,
    tlsTimeoutMs,
    sendTimeoutMs,
    replyTimeoutMs: config.replyTimeoutMs,
    onStep,
  });

  const transport = createGrpcClient({ address: config.registryAddress });
  const health = createHealthCheck(config.registryAddress);
  const watch = new RegistryWatch({ health, clock, logger });
  const notifierId = `${hostname()}-${process.pid}-${randomUUID()}`;
  const calls = registryDeliveries(transport, notifierId);
  const registry = deliveryBatches(calls, watch, steadyClock);

  const handle = createHandle({ ...registry, deliver, metrics, logger, clock, onStep });
  const storeConcurrency = {
    storeMax: config.storeConcurrencyMax,
    ...storeShares(config.concurrencyMax),
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
  const messages = new Gate();
  const consumer = new JetStreamConsumer({
    servers: config.natsServers,
    streamReplicas: config.streamReplicas,
    dispatcher,
    slots: new Semaphore(config.concurrencyMax),
    concurrencyMax: config.concurrencyMax,
    registry: watch.available,
    messages,
    clock,
    logger,
  });

  let isStopping = false;
  const notReadyReason = () => {
    if (isStopping) return "stopping";
    if (!messages.isOpen) return "waiting for NATS JetStream";
    return watch.available.isOpen ? undefined : "waiting for the registry";
  };
  const operations = createOperationsServer({ notReadyReason, metrics: registryOfMetrics });
  const operationsPort = await listenHttp(operations, config.host, config.operationsPort);
  watch.start();
  consumer.start();
  logger.info({ operationsPort, notifierId }, "notifier is up");

  return {
    operationsPort,
    stop: async () => {
      isStopping = true;
      await Promise.all([consumer.stopPulling(), dispatcher.stop(config.shutdownGraceMs)]);
      await consumer.close();
      await watch.stop();
      health.close();
      transport.close();
      await closeHttp(operations, 1_000);
    },
  };
}
