import type { ConnectRouter } from "@connectrpc/connect";
import { pino } from "pino";
import { NotifierService } from "#gen/registry/v1/notifier_service_pb.js";
import { partitionCount } from "#shared/nats/event-stream.ts";
import { steadyClock } from "#shared/time/clock.ts";
import { CommitQueue } from "../../services/registry/certificates/commit-queue.ts";
import { quarantineRefusedEvent } from "../../services/registry/deliveries/quarantine.ts";
import { MongoLedger } from "../../services/registry/mongo/certificates/mongo-ledger.ts";
import { MongoDeliveries } from "../../services/registry/mongo/deliveries/mongo-deliveries.ts";
import { snapshotReader } from "../../services/registry/mongo/driver/read-snapshot.ts";
import { sharedTasks } from "../../services/registry/mongo/leases/shared-tasks.ts";
import { openDatabase } from "../../services/registry/mongo/opening/open-database.ts";
import { MongoOutbox } from "../../services/registry/mongo/outbox/mongo-outbox.ts";
import { MongoQuarantine } from "../../services/registry/mongo/outbox/mongo-quarantine.ts";
import { type RunningRelay, startRelay } from "../../services/registry/outbox/start-relay.ts";
import { notifierService } from "../../services/registry/rpc/notifier-service.ts";
import { simulatedBox } from "./simulated-replica.ts";

const logger = pino({ level: "silent" });
const clock = steadyClock;
const poolSizes = { reads: 10, changes: 10, deliveries: 10 };
const limits = { inFlightMax: 8, bufferedMax: 32 };

/** A registry in a process of a world, with its relay over NATS and the service that notifiers call. */
export type SimulatedWebhookRegistry = Awaited<ReturnType<typeof startWebhookRegistry>>;

/**
 * Starts a registry, wired as in services/registry/wire-services.ts, in the process that calls this function.
 */
export async function startWebhookRegistry(databaseUri: string, natsUrl: string) {
  const database = await openDatabase(databaseUri, poolSizes, { logger });
  const { changes, deliveries, transactionLifetimeSeconds } = database;
  const { collections } = deliveries;
  const onSettled = (eventIds: readonly string[]) => relay.settled(eventIds);
  const records = new MongoDeliveries({
    collections,
    box: simulatedBox,
    clock,
    onSettled,
    onRecorded: () => undefined,
  });
  const quarantine = new MongoQuarantine(collections, clock);
  const relay: RunningRelay = startRelay({
    nats: { servers: [natsUrl] },
    streamReplicas: 1,
    outbox: new MongoOutbox({
      collections,
      readSnapshot: snapshotReader(deliveries.client, clock),
      transactionLifetimeSeconds,
    }),
    quarantine: (entry, problem) => quarantineRefusedEvent(quarantine, records, entry, problem),
    onRefused: () => undefined,
    limits,
    partitions: sharedTasks(collections.leases, "outbox-relay", partitionCount),
    clock,
    logger,
  });
  const ledger = new MongoLedger({
    ...changes,
    clock,
    serviceVerifyUrl: "https://verify.example.test/c",
    onEvents: (storeId) => relay.committed(storeId),
  });
  const routes = (router: ConnectRouter) => router.service(NotifierService, notifierService({ records, quarantine }));
  return { queue: new CommitQueue(ledger), routes };
}
