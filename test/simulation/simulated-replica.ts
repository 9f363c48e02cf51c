import { pino } from "pino";
import { partitionCount } from "#shared/nats/event-stream.ts";
import { steadyClock } from "#shared/time/clock.ts";
import { CommitQueue } from "../../services/registry/certificates/commit-queue.ts";
import { MongoFeed } from "../../services/registry/mongo/certificates/mongo-feed.ts";
import { MongoLedger } from "../../services/registry/mongo/certificates/mongo-ledger.ts";
import { MongoDeliveries } from "../../services/registry/mongo/deliveries/mongo-deliveries.ts";
import { findSnapshotReader, snapshotReader } from "../../services/registry/mongo/driver/read-snapshot.ts";
import { sharedTasks } from "../../services/registry/mongo/leases/shared-tasks.ts";
import { openDatabase } from "../../services/registry/mongo/opening/open-database.ts";
import { MongoOutbox } from "../../services/registry/mongo/outbox/mongo-outbox.ts";
import type { Publish } from "../../services/registry/outbox/outbox.ts";
import { Relay } from "../../services/registry/outbox/relay.ts";
import { createSecretBox, type SecretBox } from "../../services/registry/secrets/secret-box.ts";

const logger = pino({ level: "silent" });
const poolSizes = { reads: 10, changes: 10, deliveries: 10 };
const limits = { inFlightMax: 4, bufferedMax: 16 };

/** The box that encrypts the signing secrets of the simulated stores. */
export const simulatedBox: SecretBox = createSecretBox([Buffer.alloc(32, 7)]);

/** A registry in a process of a world, wired as the registry wires itself. */
export type SimulatedReplica = Awaited<ReturnType<typeof startReplica>>;

interface ReplicaDeps {
  readonly publish: Publish;
  /** Notifies the relays of all replicas. */
  readonly onEvents: () => void;
  readonly onSettled: (eventIds: readonly string[]) => void;
}

/** Starts a registry with its heartbeat and its relay, in the process that calls this function. */
export async function startReplica(uri: string, { publish, onEvents, onSettled }: ReplicaDeps) {
  const database = await openDatabase(uri, poolSizes, { logger });
  const { reads, changes, deliveries, transactionLifetimeSeconds } = database;
  const ledger = new MongoLedger({
    ...changes,
    clock: steadyClock,
    serviceVerifyUrl: "https://verify.example.test/c",
    onEvents,
  });
  const outbox = new MongoOutbox({
    collections: deliveries.collections,
    readSnapshot: snapshotReader(deliveries.client, steadyClock),
    transactionLifetimeSeconds,
  });
  const relay = new Relay({
    outbox,
    partitions: sharedTasks(deliveries.collections.leases, "outbox-relay", partitionCount),
    publish,
    prepare: async () => undefined,
    limits,
    clock: steadyClock,
    logger,
  });
  relay.start();
  return {
    relay,
    queue: new CommitQueue(ledger),
    feed: new MongoFeed(reads.collections, findSnapshotReader(steadyClock)),
    records: new MongoDeliveries({
      collections: deliveries.collections,
      box: simulatedBox,
      clock: steadyClock,
      onSettled,
      onRecorded: () => undefined,
    }),
  };
}
