import { readFile } from "node:fs/promises";
import { Server } from "@grpc/grpc-js";
import { HealthImplementation } from "grpc-health-check";
import { DeliveryService } from "#gen/registry/v1/delivery_service_pb.js";
import { EdgeService } from "#gen/registry/v1/edge_service_pb.js";
import { InspectionService } from "#gen/registry/v1/inspection_service_pb.js";
import { IssuingService } from "#gen/registry/v1/issuing_service_pb.js";
import { LifecycleService } from "#gen/registry/v1/lifecycle_service_pb.js";
import { NotifierService } from "#gen/registry/v1/notifier_service_pb.js";
import { StoreAdminService } from "#gen/registry/v1/store_admin_service_pb.js";
import { VerificationService } from "#gen/registry/v1/verification_service_pb.js";
import { createAddressGuard } from "#shared/address-guard/address-guard.ts";
import {
  closeHttp,
  createMetrics,
  createOperationsServer,
  listenHttp,
} from "#shared/http/operations-server.ts";
import { readKeyFiles } from "#shared/keys/key-files.ts";
import type { RunningService } from "#shared/lifecycle/run-service.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { closeGrpc, listenGrpc } from "#shared/rpc/listen.ts";
import { addReflection } from "#shared/rpc/reflection.ts";
import { type Clock, steadyClock, systemClock } from "#shared/time/clock.ts";
import { CommitQueue } from "./certificates/commit-queue.ts";
import type { RegistryConfig } from "./config.ts";
import { collectionsOf } from "./mongo/collections.ts";
import { connectMongo } from "./mongo/connect-mongo.ts";
import { ensureIndexes } from "./mongo/indexes.ts";
import { MongoAdmissions } from "./mongo/mongo-admissions.ts";
import { MongoApiKeys } from "./mongo/mongo-api-keys.ts";
import { MongoCertificateLookup } from "./mongo/mongo-certificate-lookup.ts";
import { MongoDeliveries } from "./mongo/mongo-deliveries.ts";
import { MongoDeliveryLog } from "./mongo/mongo-delivery-log.ts";
import { MongoFeed } from "./mongo/mongo-feed.ts";
import { MongoLease } from "./mongo/mongo-lease.ts";
import { MongoLedger, type MongoLedgerDeps } from "./mongo/mongo-ledger.ts";
import { MongoOutbox } from "./mongo/mongo-outbox.ts";
import { MongoQuarantine } from "./mongo/mongo-quarantine.ts";
import { MongoSamples } from "./mongo/mongo-samples.ts";
import { MongoStoreDirectory } from "./mongo/mongo-store-directory.ts";
import { MongoWebhooks } from "./mongo/mongo-webhooks.ts";
import { snapshotReader } from "./mongo/read-snapshot.ts";
import { observeCalls } from "./observe-calls.ts";
import { observeOutcomes } from "./observe-outcomes.ts";
import { observeRelay } from "./observe-relay.ts";
import { observeSecrets } from "./observe-secrets.ts";
import { startRelay } from "./outbox/start-relay.ts";
import { deliveryService } from "./rpc/delivery-service.ts";
import { edgeService } from "./rpc/edge-service.ts";
import { createHttpApi } from "./rpc/http-api.ts";
import { inspectionService } from "./rpc/inspection-service.ts";
import { issuingService } from "./rpc/issuing-service.ts";
import { lifecycleService } from "./rpc/lifecycle-service.ts";
import { notifierService } from "./rpc/notifier-service.ts";
import { type OfferedService, offer } from "./rpc/offered-service.ts";
import { parseOperators } from "./rpc/operators.ts";
import { storeAdminService } from "./rpc/store-admin-service.ts";
import { verificationService } from "./rpc/verification-service.ts";
import { createSecretBox } from "./secrets/secret-box.ts";
import { KeyUses } from "./stores/key-uses.ts";

/** The registry, running. */
export interface RunningRegistry extends RunningService {
  /** The gRPC port. */
  readonly port: number;
  readonly operationsPort: number;
  /** The operations over HTTP/JSON; undefined while they are off. */
  readonly apiPort: number | undefined;
}

/** What a check may put in the place of the real thing. */
export interface RegistryOverrides extends Pick<MongoLedgerDeps, "advance" | "writesInOneCommand"> {
  /** How old a claim without an outcome is when its sender counts as dead. Default 60,000. */
  readonly claimLifeMs?: number;
  /** The machine's clock. */
  readonly clock?: Clock;
}

/**
 * Wires the registry and starts it.
 *
 * @throws ConfigError for keys that cannot be used; Error, in one sentence, when the database cannot be used or a port is
 * taken; NATS may come later
 */
export async function run(
  config: RegistryConfig,
  logger: Logger,
  { claimLifeMs, clock = systemClock, ...overrides }: RegistryOverrides = {},
): Promise<RunningRegistry> {
  const now = () => new Date(clock.now());
  const metrics = createMetrics();
  const secretKeys = readKeyFiles("REGISTRY_SECRET_KEY_FILES", config.secretKeyFiles);
  const box = observeSecrets(createSecretBox(secretKeys), logger, metrics);
  const client = await connectMongo(config.mongodbUri, { clock, logger });
  const collections = collectionsOf(client.db());
  await ensureIndexes(collections);
  const readSnapshot = snapshotReader(client, clock);

  const serviceVerifyUrl = config.verifyBaseUrl;
  const outbox = new MongoOutbox(collections.outbox, readSnapshot);
  const relay = startRelay({
    servers: config.natsServers,
    streamReplicas: config.streamReplicas,
    outbox,
    limits: { inFlightMax: config.storeWindow, bufferedMax: 4 * config.storeWindow },
    lease: new MongoLease(collections.leases, "outbox-relay", crypto.randomUUID()),
    clock: steadyClock,
    logger,
  });
  observeRelay({ load: relay.load, oldestAt: () => outbox.oldestAt(), clock, metrics });
  const ledger = new MongoLedger({
    client,
    collections,
    clock,
    serviceVerifyUrl,
    onEvents: relay.committed,
    ...overrides,
  });
  const policy = { limit: config.rateLimit, windowMs: config.rateLimitWindowMs };

  const feed = new MongoFeed(collections, readSnapshot);
  const queue = new CommitQueue(ledger);
  const lookup = new MongoCertificateLookup(collections);
  const apiKeys = new MongoApiKeys(collections.access);
  const keyUses = new KeyUses({ keys: apiKeys, clock, logger });
  const admissions = keyUses.watch(new MongoAdmissions(collections.access, policy));
  const samples = new MongoSamples(collections, clock);
  const records = new MongoDeliveries({
    collections,
    box,
    clock,
    onSettled: relay.settled,
    onRecorded: observeOutcomes(metrics),
  });
  const log = new MongoDeliveryLog(collections.deliveries);
  const isUnsettled = async (eventId: string) => (await outbox.findUnsettled([eventId])).length > 0;
  const quarantine = new MongoQuarantine(collections, clock);
  const stores = new MongoStoreDirectory(client, collections, clock);
  const guard = createAddressGuard({
    allowedNetworks: config.allowedNetworks,
    allowedHosts: config.allowedHosts,
    refusedNetworks: config.refusedNetworks,
  });
  const webhooks = new MongoWebhooks(collections.stores, box, clock);
  const services = [
    offer(EdgeService, edgeService({ feed, admissions, serviceVerifyUrl }), null),
    offer(VerificationService, verificationService({ queue, lookup }), null),
    offer(NotifierService, notifierService({ records, quarantine, claimLifeMs }), null),
    offer(IssuingService, issuingService({ queue, ledger, samples }), "issue"),
    offer(LifecycleService, lifecycleService(queue), "change"),
    offer(InspectionService, inspectionService({ lookup, log, serviceVerifyUrl, now }), "inspect"),
    offer(StoreAdminService, storeAdminService({ stores, apiKeys, webhooks, guard }), "administer"),
    offer(DeliveryService, deliveryService({ queue, lookup, isUnsettled, quarantine }), "administer"),
  ];

  const server = new Server({ "grpc.max_receive_message_length": 16 * 1024 * 1024 });
  const observe = observeCalls(logger, metrics);
  for (const service of services) service.mountOnGrpc(server, observe);
  addReflection(
    server,
    services.map(({ service }) => service),
  );
  const health = new HealthImplementation({ "": "SERVING" });
  health.addToServer(server);

  let stopping = false;
  const notReadyReason = () => (stopping ? "stopping" : undefined);
  const operations = createOperationsServer({ notReadyReason, metrics });
  const operationsPort = await listenHttp(operations, config.host, config.operationsPort);
  const api = await startHttpApi(config, services);
  const port = await listenGrpc(server, `${config.host}:${config.port}`);
  keyUses.start();
  logger.info({ port, operationsPort, apiPort: api?.port ?? "off" }, "registry is up");

  return {
    port,
    operationsPort,
    apiPort: api?.port,
    stop: async () => {
      stopping = true;
      health.setStatus("", "NOT_SERVING");
      await clock.sleep(config.shutdownDelayMs);
      const graceMs = config.shutdownGraceMs;
      await Promise.all([closeGrpc(server, graceMs), api && closeHttp(api.server, graceMs)]);
      await keyUses.stop();
      await relay.stop();
      await client.close();
      await closeHttp(operations, 1_000);
    },
  };
}

/** Starts the operations over HTTP/JSON where a file of operators says who may call them. */
async function startHttpApi(config: RegistryConfig, services: readonly OfferedService[]) {
  const file = config.operatorsFile;
  if (file === undefined) return undefined;
  const server = createHttpApi(services, parseOperators(await readFile(file, "utf8")));
  const port = await listenHttp(server, config.host, config.apiPort);
  return { server, port };
}
