import { createAddressGuard } from "#shared/address-guard/address-guard.ts";
import { partitionCount } from "#shared/nats/event-stream.ts";
import { computedGauge } from "#shared/observe/computed-gauge.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { steadyClock, systemClock } from "#shared/time/clock.ts";
import { PlaceReturns } from "./admissions/place-returns.ts";
import { deleteAutomationMessages } from "./automation/delete-automation-messages.ts";
import { CommitQueue } from "./certificates/commit-queue.ts";
import { createShedders } from "./create-shedders.ts";
import { defaultClaimLifeMs } from "./deliveries/claim-state.ts";
import { quarantineRefusedEvent } from "./deliveries/quarantine.ts";
import { checksOf, diagnose } from "./diagnostics/diagnose.ts";
import { createImportRunner } from "./imports/import-runner.ts";
import { issueBatches } from "./imports/issue-batches.ts";
import { readOrdersInThread } from "./imports/read-orders-in-thread.ts";
import { KeyOwners } from "./list-requests/key-owners.ts";
import { observeFeed, observePlaces } from "./metrics/observe-list.ts";
import { LoadMetrics } from "./metrics/observe-load.ts";
import { observeOutcomes, observeRefusals, observeRelay } from "./metrics/observe-relay.ts";
import { MongoAdmissions } from "./mongo/admissions/mongo-admissions.ts";
import { MongoApiKeys } from "./mongo/admissions/mongo-api-keys.ts";
import { isAutomationHeld } from "./mongo/backup/automation-hold.ts";
import { MongoCertificateLookup } from "./mongo/certificates/mongo-certificate-lookup.ts";
import { MongoFeed } from "./mongo/certificates/mongo-feed.ts";
import { MongoLedger } from "./mongo/certificates/mongo-ledger.ts";
import { MongoReports } from "./mongo/certificates/mongo-reports.ts";
import { MongoSamples } from "./mongo/certificates/mongo-samples.ts";
import { MongoVerificationLinks } from "./mongo/certificates/mongo-verification-links.ts";
import { MongoDeliveries } from "./mongo/deliveries/mongo-deliveries.ts";
import { MongoDeliveryLog } from "./mongo/deliveries/mongo-delivery-log.ts";
import { MongoWebhooks } from "./mongo/deliveries/mongo-webhooks.ts";
import { snapshotReader } from "./mongo/driver/read-snapshot.ts";
import { MongoImports } from "./mongo/imports/mongo-imports.ts";
import { sharedTasks } from "./mongo/leases/shared-tasks.ts";
import { MongoListening } from "./mongo/listening/mongo-listening.ts";
import { isAutomationPublished } from "./mongo/opening/replica-heartbeat.ts";
import { serverChecks } from "./mongo/opening/server-checks.ts";
import { MongoOutbox } from "./mongo/outbox/mongo-outbox.ts";
import { MongoQuarantine } from "./mongo/outbox/mongo-quarantine.ts";
import { MongoPersonalData } from "./mongo/persons/mongo-personal-data.ts";
import { MongoSessions } from "./mongo/sessions/mongo-sessions.ts";
import { MongoStorefrontImages } from "./mongo/storefront/mongo-storefront-images.ts";
import { MongoProductDisplays } from "./mongo/stores/mongo-product-displays.ts";
import { MongoSealedSecrets } from "./mongo/stores/mongo-sealed-secrets.ts";
import { MongoStoreDirectory } from "./mongo/stores/mongo-store-directory.ts";
import { MongoStoreHistory } from "./mongo/stores/mongo-store-history.ts";
import type { MessageSelection } from "./outbox/delete-messages.ts";
import { natsChecks } from "./outbox/nats-checks.ts";
import { outboxChecks } from "./outbox/outbox-checks.ts";
import { type RunningRelay, startRelay } from "./outbox/start-relay.ts";
import { deliveryService } from "./rpc/delivery-service.ts";
import { diagnosticsService } from "./rpc/diagnostics-service.ts";
import { edgeService } from "./rpc/edge-service.ts";
import { importSettingsService } from "./rpc/import-settings-service.ts";
import { inspectionService } from "./rpc/inspection-service.ts";
import { issuingService } from "./rpc/issuing-service.ts";
import { lifecycleService, linkService } from "./rpc/lifecycle-service.ts";
import { ListExchange } from "./rpc/list-exchange/list-exchange.ts";
import { listenService } from "./rpc/listen-service.ts";
import { notifierService } from "./rpc/notifier-service.ts";
import type { OfferedService } from "./rpc/offered-service.ts";
import { personService } from "./rpc/person-service.ts";
import { productImageService } from "./rpc/product-image-service.ts";
import { registryServices } from "./rpc/registry-services.ts";
import { reportService } from "./rpc/report-service.ts";
import { ScopeResolver } from "./rpc/resolve-scope.ts";
import { sessionService } from "./rpc/session-service.ts";
import { storeAdminService } from "./rpc/store-admin-service.ts";
import { verificationService } from "./rpc/verification-service.ts";
import { settingsUrlOf } from "./sign-in-config.ts";
import { KeyUses } from "./stores/key-uses.ts";
import { KnownStores } from "./stores/known-stores.ts";
import type { RecordedStoreChange } from "./stores/store-history.ts";
import { wireAutomation } from "./wire-automation.ts";
import { wireStorefront } from "./wire-storefront.ts";
import type { WiringDeps } from "./wiring-deps.ts";

/** Starts the relays and creates the gRPC services, each with the operator right, if any, that its methods require. */
export function wireServices(deps: WiringDeps) {
  const { database, config, box, logger, metrics } = deps;
  const { reads, changes, deliveries } = database;
  const {
    claimLifeMs = defaultClaimLifeMs,
    admissionPlaces,
    requestsPerStreamMax,
    storefrontProducts,
    ...others
  } = deps.overrides;
  const { readOrders = readOrdersInThread, ...clocksAndLedger } = others;
  const { clock = systemClock, databaseClock = database.clock, ...ledgerOverrides } = clocksAndLedger;
  const serviceVerifyUrl = config.verifyBaseUrl;
  const outbox = new MongoOutbox({
    collections: deliveries.collections,
    readSnapshot: snapshotReader(deliveries.client),
    transactionLifetimeSeconds: database.transactionLifetimeSeconds,
  });
  const onSettled = (eventIds: readonly string[]) => relay.settled(eventIds);
  const onRecorded = observeOutcomes(metrics);
  const records = new MongoDeliveries({ ...deliveries, box, clock, claimLifeMs, onSettled, onRecorded });
  const quarantine = new MongoQuarantine({ ...deliveries, onSession: changes.onSession, clock });
  const relay: RunningRelay = startRelay({
    nats: deps.nats,
    streamReplicas: config.streamReplicas,
    outbox,
    quarantine: (entry, problem) => quarantineRefusedEvent(quarantine, records, entry, problem),
    onRefused: observeRefusals(metrics),
    limits: { inFlightMax: config.storeWindow, bufferedMax: 4 * config.storeWindow },
    // Divided with the relays of other replicas.
    partitions: sharedTasks(deliveries.collections.leases, "outbox-relay", partitionCount),
    clock: steadyClock,
    logger,
  });
  const oldestAt = () => outbox.oldestAt();
  observeRelay({ load: relay.load, isFirst: relay.isFirst, oldestAt, clock: databaseClock, metrics });

  const onEvents = (storeId: string) => {
    relay.committed(storeId);
    automation.relay?.wake();
  };
  const ledger = new MongoLedger({
    ...changes,
    clock: steadyClock,
    serviceVerifyUrl,
    onEvents,
    maxEventBytes: relay.maxEventBytes,
    hasAutomationEvents: config.automationEvents === "on",
    epoch: database.restores.epoch,
    onFeedLag: observeFeed(metrics),
    ...ledgerOverrides,
  });
  const loads = new LoadMetrics(metrics);
  const queue: CommitQueue = new CommitQueue(ledger, {
    maxTransactions: config.changeConcurrency,
    onShed: loads.observe("changes", () => queue),
  });
  const lookup = new MongoCertificateLookup(reads.collections);
  const links = new MongoVerificationLinks(reads.collections);
  const feed = new MongoFeed(reads.collections, database.readPage);
  const samples = new MongoSamples(changes.collections, clock);

  const storeHistory = new MongoStoreHistory({
    client: changes.client,
    collections: changes.collections,
    clock: databaseClock,
    onSession: changes.onSession,
    onRecorded: auditLog(logger),
  });
  const readHistory = new MongoStoreHistory({ ...reads, clock: databaseClock, onRecorded: auditLog(logger) });
  const reports = new MongoReports(changes.collections, storeHistory, databaseClock);
  const readReports = new MongoReports(reads.collections, storeHistory, databaseClock);
  const stores = new MongoStoreDirectory(changes.collections, storeHistory, databaseClock);
  const pageStores = new MongoStoreDirectory(reads.collections, storeHistory, databaseClock);
  const knownStores = new KnownStores(stores);
  const displays = new MongoProductDisplays(changes.collections, storeHistory);
  const pageDisplays = new MongoProductDisplays(reads.collections, storeHistory);
  const webhooks = new MongoWebhooks(changes.collections.stores, storeHistory, box, clock);
  const apiKeys = new MongoApiKeys(changes.collections.access, storeHistory);
  const keyUses = new KeyUses({ keys: apiKeys, clock: databaseClock, logger });
  const policy = { limit: config.rateLimit, windowMs: config.rateLimitWindowMs };
  const windows = new MongoAdmissions(reads.collections.access, policy);
  const placeReturns = new PlaceReturns({
    places: admissionPlaces ?? windows,
    clock: steadyClock,
    windowMs: policy.windowMs,
    ...observePlaces(metrics),
  });
  const { shedder, searches, lookups, dryRuns, sessionCalls, sessionChanges } = createShedders(config, loads);
  const listRequests = {
    feed,
    serviceVerifyUrl,
    placeReturns,
    shedder,
    admissions: keyUses.watch(windows),
    keyOwners: new KeyOwners(),
    clock: steadyClock,
  };
  const now = () => new Date(databaseClock.now());
  const edgeDeps = { ...listRequests, apiKeys: new MongoApiKeys(reads.collections.access, storeHistory), now };
  const exchange = new ListExchange({ ...listRequests, requestsMax: requestsPerStreamMax });
  const help = "Open streams on which edges send list requests";
  computedGauge(metrics, "registry_list_streams", help, () => exchange.size);
  const guard = createAddressGuard(config);

  const automation = wireAutomation({
    ...deps,
    storeHistory,
    stores,
    lookup,
    guard,
    databaseClock,
    leaseLifeMs: claimLifeMs,
    isLeading: relay.isFirst,
  });

  const log = new MongoDeliveryLog(reads.collections.deliveries);
  const isUnsettled = async (eventId: string) => (await outbox.findUnsettled([eventId])).length > 0;

  const sessions = new MongoSessions(changes.collections, storeHistory, databaseClock);
  const listenTokens = new MongoListening(changes.collections, storeHistory, databaseClock);
  const listenMessages = new MongoListening(reads.collections, storeHistory, databaseClock);
  const imports = new MongoImports(changes.collections, storeHistory, databaseClock);
  const importRunner = createImportRunner({
    queue: imports,
    issuer: issueBatches({ queue, ledger, dryRuns }),
    readOrders,
    logger,
  });
  const publishesAutomationEvents = async () =>
    automation.relay !== undefined || (await isAutomationPublished(changes.collections.replicas));
  const personDeps = {
    queue,
    records,
    isUnsettled,
    data: new MongoPersonalData(changes),
    deleteMessages: relay.deleteMessages,
    deleteAutomationMessages: (storeId: string, selection: MessageSelection) => {
      const { connection } = relay.natsSubject();
      return deleteAutomationMessages({ connection, publishesAutomationEvents }, storeId, selection);
    },
    // Waiting events that are held are erased; otherwise an erasure would wait until they are published.
    publishesAutomationEvents: async () =>
      !(await isAutomationHeld(changes.collections.restores)) && (await publishesAutomationEvents()),
    storeHistory,
  };
  const storefront = wireStorefront({
    ...deps,
    storeHistory,
    knownStores,
    queue,
    persons: personDeps,
    productsBound: storefrontProducts,
    clock: databaseClock,
  });

  const runChecks = () =>
    diagnose(
      [
        ...checksOf("database", serverChecks, () => reads.client),
        ...checksOf("NATS", natsChecks, relay.natsSubject),
        ...checksOf("registry", outboxChecks, () => ({ oldestAt, clock: databaseClock })),
        ...deps.certificates.checks(clock),
      ],
      steadyClock,
    );
  const services: readonly OfferedService[] = [
    edgeService(edgeDeps),
    exchange,
    verificationService({
      queue,
      lookup,
      links,
      lookups,
      stores: pageStores,
      displays: pageDisplays,
      reports: readReports,
      logger,
      serviceVerifyUrl,
    }),
    listenService({ messages: listenMessages, queue, lookups }),
    notifierService({
      records,
      quarantine,
      restores: database.restores,
      deliveryLogDays: config.deliveryLogDays,
    }),
    issuingService({ queue, ledger, dryRuns, samples, stores, serviceVerifyUrl }),
    lifecycleService(queue),
    linkService(queue),
    inspectionService({
      lookup,
      log,
      feed,
      samples,
      storeHistory: readHistory,
      reports: readReports,
      shedder,
      searches,
      serviceVerifyUrl,
    }),
    reportService(reports),
    productImageService({ images: new MongoStorefrontImages(changes.collections, storeHistory, displays) }),
    personService(personDeps),
    storeAdminService({
      stores,
      displays,
      apiKeys,
      webhooks,
      sealedSecrets: new MongoSealedSecrets({ collections: changes.collections, history: storeHistory, box }),
      guard,
      sessions,
      listenTokens,
      clock: databaseClock,
      settingsUrl: settingsUrlOf(config),
    }),
    ...storefront.services,
    deliveryService({ queue, lookup, log, isUnsettled, quarantine, databaseClock }),
    ...automation.services,
    sessionService({
      sessions,
      stores,
      clock: databaseClock,
      verifyPlatformToken: deps.verifyPlatformToken,
      sessionLifeMs: config.sessionLifeMs,
      sessionCalls,
      sessionChanges,
    }),
    importSettingsService({ imports, importRunner }),
    diagnosticsService({ diagnose: runChecks, clock }),
  ];
  return {
    /** What the services share. */
    parts: { queue, feed, admissions: windows, keys: apiKeys, stores, imports, persons: personDeps },
    services,
    scopes: new ScopeResolver(registryServices, { sessions, knownStores, sessionCalls, sessionChanges }),
    keyUses,
    importRunner,
    placeReturns,
    relay,
    automation,
    storefrontWorker: storefront.worker,
  };
}

/** Returns a callback that logs an administrative change to a store; the store's history contains the same change. */
function auditLog(logger: Logger): (change: RecordedStoreChange) => void {
  return ({ id, storeId, action, actor, details }) => {
    logger.info({ action, actor, storeId, entry: id, details }, "administration");
  };
}
