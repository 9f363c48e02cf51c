import type { AddressGuard } from "#shared/address-guard/address-guard.ts";
import { type Clock, steadyClock } from "#shared/time/clock.ts";
import { type RunningAutomationRelay, startAutomationRelay } from "./automation/start-automation-relay.ts";
import type { CertificateLookup } from "./certificates/certificate-lookup.ts";
import { countDisabledTriggers, observeAutomation, observeTriggers } from "./metrics/observe-triggers.ts";
import { snapshotReader } from "./mongo/driver/read-snapshot.ts";
import { leasedTask } from "./mongo/leases/leased-task.ts";
import { MongoAutomationOutbox } from "./mongo/outbox/mongo-automation-outbox.ts";
import type { MongoStoreHistory } from "./mongo/stores/mongo-store-history.ts";
import { MongoTriggerQueue } from "./mongo/triggers/mongo-trigger-queue.ts";
import { MongoTriggers } from "./mongo/triggers/mongo-triggers.ts";
import { triggerDeliveryService } from "./rpc/trigger-delivery-service.ts";
import { triggerService } from "./rpc/trigger-service.ts";
import type { StoreDirectory } from "./stores/store-directory.ts";
import type { WiringDeps } from "./wiring-deps.ts";

interface AutomationDeps extends Omit<WiringDeps, "verifyPlatformToken" | "certificates" | "overrides"> {
  readonly storeHistory: MongoStoreHistory;
  readonly stores: StoreDirectory;
  readonly lookup: CertificateLookup;
  readonly guard: AddressGuard;
  /** Age at which a lease without a recorded result expires, in milliseconds. */
  readonly leaseLifeMs: number;
  /** Returns whether this replica reports the load of the triggers: one replica at a time. */
  readonly isLeading: () => boolean;
  /** The database's clock, by which events for triggers are due. */
  readonly databaseClock: Clock;
}

/**
 * Wires the workflow triggers and, if enabled, the relay of automation events. Both use the connection pool for
 * changes, so that they never occupy the connections that serve the claims and outcomes of webhook deliveries.
 */
export function wireAutomation(deps: AutomationDeps) {
  const { database, box, config, logger, metrics, stores, guard, leaseLifeMs, databaseClock } = deps;
  const { collections } = database.changes;
  const triggers = new MongoTriggers({ collections, history: deps.storeHistory, box, clock: databaseClock });
  const { deliveryLogDays } = config;
  const queue = new MongoTriggerQueue({ ...database.changes, box, clock: databaseClock, leaseLifeMs, deliveryLogDays });
  observeTriggers({ load: () => queue.load(), isLeading: deps.isLeading, clock: databaseClock, metrics });
  const countDisabled = countDisabledTriggers(metrics);
  const onDisabled = (trigger: { readonly triggerId: string; readonly storeId: string }) => {
    countDisabled();
    logger.warn(trigger, "disabled a trigger whose receiver kept failing or responded with 410");
  };
  const serviceVerifyUrl = config.verifyBaseUrl;
  const policy = { baseMs: config.triggerRetryBaseMs, horizonMs: config.triggerHorizonMs };
  const shared = { triggers, queue, stores, guard, clock: databaseClock, serviceVerifyUrl };
  const service = triggerService({ lookup: deps.lookup, ...shared });
  const onCutShort = (error: unknown) =>
    logger.warn({ err: error }, "could not lease all due events for workflow triggers; sending only the leased events");
  const forNotifiers = triggerDeliveryService({
    queue,
    triggers,
    policy,
    onDisabled,
    onCutShort,
    leaseLifeMs,
    databaseClock,
  });
  return {
    services: [service, forNotifiers],
    relay: config.automationEvents === "on" ? startRelay(deps) : undefined,
  };
}

function startRelay(deps: AutomationDeps): RunningAutomationRelay {
  const { database, config, nats, databaseClock, logger, metrics } = deps;
  const { client, collections } = database.changes;
  const outbox = new MongoAutomationOutbox(collections, snapshotReader(client));
  const isLeading = () => relay.isLeading();
  const oldestAt = () => outbox.oldestAt();
  const relay: RunningAutomationRelay = startAutomationRelay({
    nats,
    outbox,
    logger,
    clock: steadyClock,
    limits: {
      replicas: config.streamReplicas,
      retentionDays: config.automationRetentionDays,
      bytesMax: config.automationBytesMax,
    },
    lease: leasedTask(collections.leases, "automation-relay"),
    onPublished: observeAutomation({ oldestAt, isLeading, clock: databaseClock, metrics }),
  });
  return relay;
}
