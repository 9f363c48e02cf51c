import { createSecureContext } from "node:tls";
import { pino } from "pino";
import { Registry } from "prom-client";
import { createAddressGuard } from "#shared/address-guard/address-guard.ts";
import { createGrpcClient } from "#shared/rpc/grpc-client.ts";
import { steadyClock, systemClock } from "#shared/time/clock.ts";
import { createHandleEvent } from "../../services/notifier/consumer/handle-event.ts";
import { JetStreamConsumer } from "../../services/notifier/consumer/jet-stream-consumer.ts";
import { MessageDispatcher } from "../../services/notifier/consumer/message-dispatcher.ts";
import { notifierMetrics } from "../../services/notifier/consumer/notifier-metrics.ts";
import { Semaphore } from "../../services/notifier/consumer/semaphore.ts";
import { latencyClassLimits } from "../../services/notifier/consumer/store-concurrency.ts";
import { Latch } from "../../services/notifier/latch.ts";
import { createHealthCheck } from "../../services/notifier/registry-client/check-registry-health.ts";
import { observeClockSkew } from "../../services/notifier/registry-client/observe-clock-skew.ts";
import { deliveryBatches, registryDeliveries } from "../../services/notifier/registry-client/registry-deliveries.ts";
import { RegistryWatch } from "../../services/notifier/registry-client/registry-watch.ts";
import { triggerDeliveries } from "../../services/notifier/registry-client/trigger-deliveries.ts";
import { triggerMetrics } from "../../services/notifier/triggers/trigger-metrics.ts";
import { TriggerSender } from "../../services/notifier/triggers/trigger-sender.ts";
import type { Deliver } from "../../services/notifier/webhook/deliver.ts";
import type { AddressResolver } from "../../services/notifier/webhook/resolve-addresses.ts";
import { createSend, type Send } from "../../services/notifier/webhook/send-message.ts";
import { TlsSessions } from "../../services/notifier/webhook/tls-sessions.ts";
import { registryAddress } from "./simulated-replica.ts";

const logger = pino({ level: "silent" });
// Simulated connections use no certificates.
const secureContext = createSecureContext();
const phaseTimeoutMs = 5_000;
const replyTimeoutMs = 8_000;
/** The least that the configuration permits, so that a history reaches it. */
const concurrencyMax = 32;
const triggerConcurrencyMax = 8;
const triggerPollMs = 1_000;
const registryTarget = `ipv4:${registryAddress}`;

/** Sends messages through the sockets of the world. */
export function sendOverSockets(resolveAddresses: AddressResolver): Send {
  return createSend({
    secureContext,
    sessions: new TlsSessions(0, steadyClock),
    guard: createAddressGuard({ allowedNetworks: [], allowedHosts: [], refusedNetworks: [] }),
    resolveAddresses,
    proxy: undefined,
    lookUpTimeoutMs: phaseTimeoutMs,
    connectTimeoutMs: phaseTimeoutMs,
    tlsTimeoutMs: phaseTimeoutMs,
    sendTimeoutMs: phaseTimeoutMs,
    replyTimeoutMs,
  });
}

interface NotifierDeps {
  readonly id: string;
  readonly natsUrl: string;
  readonly deliver: Deliver;
  /** Undefined if there are no triggers. */
  readonly sendToTriggers: Send | undefined;
}

/** Starts a notifier, wired as in services/notifier/run.ts, in the process that calls this function. */
export function startNotifier({ id, natsUrl, deliver, sendToTriggers: send }: NotifierDeps): void {
  const clock = systemClock;
  const metricsRegistry = new Registry();
  const metrics = notifierMetrics(metricsRegistry);
  const watch = new RegistryWatch({ health: createHealthCheck(registryTarget), clock, logger });
  const transport = createGrpcClient({ address: registryTarget });
  const calls = registryDeliveries(transport, id);
  const registry = deliveryBatches(calls, watch, steadyClock);
  const dispatcher = new MessageDispatcher({
    handle: createHandleEvent({ ...registry, deliver, metrics, logger, clock, steadyClock }),
    quarantine: calls.quarantine,
    storeConcurrency: { storeMax: 8, ...latencyClassLimits(concurrencyMax) },
    waitingMax: concurrencyMax,
    clock,
    metrics,
    logger,
  });
  const consumer = new JetStreamConsumer({
    nats: { servers: [natsUrl] },
    dispatcher,
    slots: new Semaphore(concurrencyMax),
    concurrencyMax,
    registryAvailable: watch.available,
    consumersReady: new Latch(),
    clock: steadyClock,
    logger,
  });
  watch.start();
  consumer.start();
  if (send === undefined) return;
  const triggerSender = new TriggerSender({
    registry: triggerDeliveries(transport, id, steadyClock, observeClockSkew(metricsRegistry, clock)),
    send,
    metrics: triggerMetrics(metricsRegistry),
    registryAvailable: watch.available,
    concurrencyMax: triggerConcurrencyMax,
    pollIntervalMs: triggerPollMs,
    clock,
    steadyClock,
    logger,
  });
  triggerSender.start();
}
