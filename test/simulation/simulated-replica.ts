import { pino } from "pino";
import { NotifierService } from "#gen/registry/v1/notifier_service_pb.js";
import { partitionCount } from "#shared/nats/event-stream.ts";
import { steadyClock, systemClock } from "#shared/time/clock.ts";
import { startAutomationRelay } from "../../services/registry/automation/start-automation-relay.ts";
import { CommitQueue } from "../../services/registry/certificates/commit-queue.ts";
import { quarantineRefusedEvent } from "../../services/registry/deliveries/quarantine.ts";
import { ImportRunner } from "../../services/registry/imports/import-runner.ts";
import { issueBatches } from "../../services/registry/imports/issue-batches.ts";
import { LoadShedder } from "../../services/registry/load/load-shedder.ts";
import { MongoAdmissions } from "../../services/registry/mongo/admissions/mongo-admissions.ts";
import { MongoApiKeys } from "../../services/registry/mongo/admissions/mongo-api-keys.ts";
import { MongoFeed } from "../../services/registry/mongo/certificates/mongo-feed.ts";
import { MongoLedger } from "../../services/registry/mongo/certificates/mongo-ledger.ts";
import { MongoDeliveries } from "../../services/registry/mongo/deliveries/mongo-deliveries.ts";
import { findSnapshotReader, snapshotReader } from "../../services/registry/mongo/driver/read-snapshot.ts";
import { MongoImports } from "../../services/registry/mongo/imports/mongo-imports.ts";
import { leasedTask } from "../../services/registry/mongo/leases/leased-task.ts";
import { sharedTasks } from "../../services/registry/mongo/leases/shared-tasks.ts";
import { openDatabase } from "../../services/registry/mongo/opening/open-database.ts";
import { MongoAutomationOutbox } from "../../services/registry/mongo/outbox/mongo-automation-outbox.ts";
import { MongoOutbox } from "../../services/registry/mongo/outbox/mongo-outbox.ts";
import { MongoQuarantine } from "../../services/registry/mongo/outbox/mongo-quarantine.ts";
import { MongoPersonalData } from "../../services/registry/mongo/persons/mongo-personal-data.ts";
import { MongoSessions } from "../../services/registry/mongo/sessions/mongo-sessions.ts";
import { MongoStoreDirectory } from "../../services/registry/mongo/stores/mongo-store-directory.ts";
import { MongoStoreHistory } from "../../services/registry/mongo/stores/mongo-store-history.ts";
import { type RunningRelay, startRelay } from "../../services/registry/outbox/start-relay.ts";
import type { ErasePersonDeps } from "../../services/registry/persons/erase-person.ts";
import { notifierService } from "../../services/registry/rpc/notifier-service.ts";
import { type OfferedService, offer } from "../../services/registry/rpc/offered-service.ts";
import { ScopeResolver } from "../../services/registry/rpc/resolve-scope.ts";
import { createSecretBox, type SecretBox } from "../../services/registry/secrets/secret-box.ts";
import type { RateLimitPolicy } from "../../services/registry/stores/admission.ts";
import { KnownStores } from "../../services/registry/stores/known-stores.ts";
import { RefusedKeys } from "../../services/registry/stores/refused-keys.ts";

const logger = pino({ level: "silent" });
const poolSizes = { reads: 10, changes: 10, deliveries: 10 };
const limits = { inFlightMax: 4, bufferedMax: 16 };
const automationLimits = { replicas: 1, retentionDays: 7, bytesMax: 268_435_456 };
const dryRunBounds = { inFlightMax: 2, inFlightPerStoreMax: 1, waitingMax: 100 };

/** Where notifiers call registries. */
export const registryAddress = "10.0.0.1:9090";

/** Low, so that a history reaches it often. */
export const simulatedPolicy: RateLimitPolicy = { limit: 5, windowMs: 10_000 };

/** The box that encrypts the signing secrets of the simulated stores. */
export const simulatedBox: SecretBox = createSecretBox([Buffer.alloc(32, 7)]);

/** A registry in a process of a world. */
export type SimulatedReplica = Awaited<ReturnType<typeof startReplica>>;

/**
 * Starts a registry with its relay and the service that notifiers call, wired as in services/registry/wire-services.ts,
 * in the process that calls this function.
 */
export async function startReplica(databaseUri: string, natsUrl: string) {
  const database = await openDatabase(databaseUri, poolSizes, { logger, pageReads: "snapshot" });
  const { reads, changes, deliveries, restores, transactionLifetimeSeconds } = database;
  const outbox = new MongoOutbox({
    collections: deliveries.collections,
    readSnapshot: snapshotReader(deliveries.client, steadyClock),
    transactionLifetimeSeconds,
  });
  const records = new MongoDeliveries({
    collections: deliveries.collections,
    box: simulatedBox,
    clock: systemClock,
    onSettled: (eventIds) => relay.settled(eventIds),
    onRecorded: () => undefined,
  });
  const quarantine = new MongoQuarantine(deliveries.collections, systemClock);
  const relay: RunningRelay = startRelay({
    nats: { servers: [natsUrl] },
    streamReplicas: 1,
    outbox,
    quarantine: (entry, problem) => quarantineRefusedEvent(quarantine, records, entry, problem),
    onRefused: () => undefined,
    limits,
    partitions: sharedTasks(deliveries.collections.leases, "outbox-relay", partitionCount),
    clock: steadyClock,
    logger,
  });
  const automation = startAutomationRelay({
    nats: { servers: [natsUrl] },
    outbox: new MongoAutomationOutbox(
      changes.collections.automationOutbox,
      snapshotReader(changes.client, steadyClock),
    ),
    lease: leasedTask(changes.collections.leases, "automation-relay"),
    limits: automationLimits,
    onPublished: () => undefined,
    clock: steadyClock,
    logger,
  });
  const ledger = new MongoLedger({
    ...changes,
    clock: steadyClock,
    serviceVerifyUrl: "https://verify.example.test/c",
    onEvents: (storeId) => {
      relay.committed(storeId);
      automation.wake();
    },
    hasAutomationEvents: true,
    maxEventBytes: relay.maxEventBytes,
    epoch: restores.epoch,
  });
  const queue = new CommitQueue(ledger);
  const history = new MongoStoreHistory({
    client: changes.client,
    collections: changes.collections,
    clock: systemClock,
    onSession: changes.onSession,
    onRecorded: () => undefined,
  });
  const imports = new MongoImports(changes.collections, history, systemClock);
  const dryRuns = new LoadShedder({ ...dryRunBounds, clock: steadyClock });
  const importRunner = new ImportRunner({ queue: imports, issuer: issueBatches({ queue, ledger, dryRuns }), logger });
  importRunner.start();
  const persons: ErasePersonDeps = {
    queue,
    records,
    data: new MongoPersonalData(changes),
    deleteMessages: relay.deleteMessages,
    deleteAutomationMessages: automation.deleteMessages,
    isUnsettled: async (eventId) => (await outbox.findUnsettled([eventId])).length > 0,
  };
  const stores = new MongoStoreDirectory(changes.collections, history, database.clock);
  const sessions = new MongoSessions(changes.collections, history, database.clock);
  const mount = {
    observe: () => undefined,
    scopes: new ScopeResolver([NotifierService], {
      sessions,
      knownStores: new KnownStores(stores),
      sessionCalls: dryRuns,
      sessionChanges: dryRuns,
    }),
    peersOfCall: () => new Set(["notifier" as const]),
  };
  const notifierCalls = offer(NotifierService, notifierService({ records, quarantine, restores }));
  return {
    epoch: restores.epoch,
    mount: (server: Parameters<OfferedService["mountOnGrpc"]>[0]) => notifierCalls.mountOnGrpc(server, mount),
    queue,
    imports,
    importRunner,
    persons,
    feed: new MongoFeed(reads.collections, findSnapshotReader(steadyClock)),
    // A cache of the usual size takes long to create.
    admissions: new MongoAdmissions(reads.collections.access, simulatedPolicy, {
      refusedKeys: new RefusedKeys({ keysMax: 100 }),
    }),
    keys: new MongoApiKeys(changes.collections.access, history),
    stores,
  };
}
