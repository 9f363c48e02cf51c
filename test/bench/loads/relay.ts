/**
 * The outbox relay of one registry replica in a process of its own. It reads the outbox from the setup on, but
 * publishes only once a message on `openSubject` has arrived. A short round only reports how many partitions it relays.
 */
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "nats";
import { pino } from "pino";
import { z } from "zod";
import { ensureStream, partitionCount } from "#shared/nats/event-stream.ts";
import { steadyClock } from "#shared/time/clock.ts";
import { collectionsOf } from "../../../services/registry/mongo/documents/collections.ts";
import { snapshotReader } from "../../../services/registry/mongo/driver/read-snapshot.ts";
import { sharedTasks } from "../../../services/registry/mongo/leases/shared-tasks.ts";
import { connectMongo } from "../../../services/registry/mongo/opening/connect-mongo.ts";
import { MongoOutbox } from "../../../services/registry/mongo/outbox/mongo-outbox.ts";
import { publishToJetStream } from "../../../services/registry/outbox/publish-to-jetstream.ts";
import { Relay } from "../../../services/registry/outbox/relay.ts";
import { subscribeReplicaNotifications } from "../../../services/registry/outbox/replica-notifications.ts";
import { serveLoad } from "../load/serve-load.ts";

const setup = z.object({
  databaseUri: z.string(),
  natsUrl: z.string(),
  openSubject: z.string(),
  /** Added to each publish, in milliseconds. */
  addedMs: z.number(),
  publishingMax: z.int(),
});

// Like the pool of the registry that its relay shares with claims and outcomes.
const connectionsMax = 12;
// Longer than a round that asks for the report, so that the round gets one.
const reportMs = 5;
// As by default in the registry.
const storeWindow = 1_000;

serveLoad(setup, async ({ databaseUri, natsUrl, openSubject, addedMs, publishingMax }) => {
  const client = await connectMongo(databaseUri, { connectionsMax });
  const collections = collectionsOf(client.db());
  const connection = await connect({ servers: natsUrl });
  const publish = publishToJetStream(connection, steadyClock);
  const opened = Promise.withResolvers<void>();
  connection.subscribe(openSubject, { callback: () => opened.resolve() });
  const logger = pino({ level: "warn" }, pino.destination(2));
  const relay = new Relay({
    outbox: new MongoOutbox({
      collections,
      readSnapshot: snapshotReader(client),
      transactionLifetimeSeconds: 15,
    }),
    partitions: sharedTasks(collections.leases, "outbox-relay", partitionCount),
    prepare: async () => ensureStream(await connection.jetstreamManager(), { replicas: 1 }),
    publish: async (entry) => {
      await opened.promise;
      await delay(addedMs);
      await publish(entry);
      // As if a receiver had replied at once: an event in flight would be looked for in the outbox again and again.
      return "settled";
    },
    publishingMax,
    limits: { inFlightMax: storeWindow, bufferedMax: 4 * storeWindow },
    clock: steadyClock,
    logger,
  });
  const committed = (partition: number) => {
    if (relay.relays(partition)) relay.wake();
  };
  subscribeReplicaNotifications(connection, { committed, settled: (eventIds) => void relay.settle(eventIds) }, logger);
  relay.start();
  return [
    async () => {
      await delay(reportMs);
      return relay.load.partitionCount;
    },
  ];
});
