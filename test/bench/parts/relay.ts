import { Binary } from "mongodb";
import { connect } from "nats";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { allPartitions, partitionCount, partitionOf, streamName } from "#shared/nats/event-stream.ts";
import { until } from "../../../deploy/local/servers/until.ts";
import type { OutboxDocument } from "../../../services/registry/mongo/documents/documents.ts";
import { indexes } from "../../../services/registry/mongo/opening/indexes.ts";
import { newIn } from "../../../services/registry/mongo/outbox/outbox-mark.ts";
import { publishReplicaNotifications } from "../../../services/registry/outbox/replica-notifications.ts";
import { newId } from "../../../services/registry/values/identifiers.ts";
import { alternate, type Side } from "../alternate.ts";
import { openBaseline } from "../baseline/open-baseline.ts";
import type { BenchStack } from "../bench-stack.ts";
import { compare } from "../compare.ts";
import { type LoadProcess, startLoad } from "../load/load-process.ts";
import type { Part } from "./part.ts";

// Few enough publishes in progress that a relay waits for NATS rather than for the CPU that all relays here share.
const publishingMax = 4;
const addedMs = 20;
// Somewhat fewer than one relay can publish: 4 in 20 ms.
const eventsPerSecond = 170;
// As long as the encoded event of a benchmark certificate; neither the relay nor NATS interprets the content.
const event = new Binary(new Uint8Array(700));
const insertedAtOnce = 500;
const storesOfPartition = 64;
const openSubject = "bench.relay.open";
const dividedWithinMs = 30_000;
const readWithinMs = 60_000;
const publishedWithinMs = 120_000;

/**
 * Compares two relays, each a process with half of the partitions, with one relay that has all of them: the rate at
 * which they publish the events of many stores to JetStream. Before a turn, the relays read the events from an outbox
 * of their own, because all relays here share one database.
 */
export const measureRelay: Part = async (stack, { rounds, roundMs: durationMs }, signal) => {
  const outbox = await openOutbox(stack);
  stack.onClose(outbox.close);
  const sides = [relaySide("service", 2, stack, outbox), relaySide("one", 1, stack, outbox)];
  const turns = await alternate(sides, { rounds, durationMs, signal });
  const title = `relay: two relays, compared with one; ${publishingMax} publishes in progress each, ${addedMs} ms added to each publish`;
  return { slow_publish: { title, ...compare(turns) } };
};

type BenchOutbox = Awaited<ReturnType<typeof openOutbox>>;

function relaySide(name: string, relayCount: number, stack: BenchStack, outbox: BenchOutbox): Side {
  const setup = { databaseUri: stack.baselineUri, natsUrl: stack.natsUrl, openSubject, addedMs, publishingMax };
  let count = 0;
  let relays: readonly LoadProcess[] = [];
  const stop = async () => {
    await Promise.all(relays.map((relay) => relay.close()));
    relays = [];
  };
  stack.onClose(stop);
  const haveDivided = async () => {
    const shares = await Promise.all(relays.map((relay) => relay.round(1)));
    return shares.every(({ units }) => units === partitionCount / relayCount);
  };
  return {
    name,
    get processes() {
      return Object.fromEntries(relays.map(({ pid }, index) => [`relay_${index + 1}`, pid]));
    },
    prepare: async (durationMs) => {
      await stack.deliveries.pause();
      const starting = Array.from({ length: relayCount }, () => startLoad("test/bench/loads/relay.ts", setup));
      relays = await Promise.all(starting);
      await until(AbortSignal.timeout(dividedWithinMs), haveDivided);
      count = Math.ceil((relayCount * eventsPerSecond * durationMs) / 1_000);
      await outbox.insert(count);
      await until(AbortSignal.timeout(readWithinMs), outbox.isRead);
    },
    round: async () => {
      const first = await outbox.publishedUntil();
      const startedAt = performance.now();
      outbox.open();
      await until(AbortSignal.timeout(publishedWithinMs), async () => (await outbox.publishedUntil()) - first >= count);
      return { units: count, elapsedMs: performance.now() - startedAt };
    },
    settle: async () => {
      await stop();
      await outbox.clear();
      await stack.deliveries.resume();
    },
  };
}

/** Opens the outbox of the measured relays, in the baselines' database, and the stream to which they publish. */
async function openOutbox(stack: BenchStack) {
  const { client, collections } = await openBaseline(stack.baselineUri, 4);
  const connection = await connect({ servers: stack.natsUrl });
  const { streams } = await connection.jetstreamManager();
  const { outbox, leases } = collections;
  await outbox.createIndexes([...indexes.outbox]);
  const { committed } = publishReplicaNotifications(connection);
  const storeIds = evenlyPartitioned();
  const clear = async () => {
    await outbox.deleteMany({});
    // The leases of killed relays would delay the next turn until they expire.
    await leases.deleteMany({});
    await streams.purge(streamName);
  };
  // Earlier parts leave the events of their plain loops, which relays would have to read and publish first.
  await clear();
  return {
    insert: async (count: number) => {
      const at = Date.now();
      const documents = Array.from({ length: count }, (_, index) =>
        outboxDocument(storeIds[index % storeIds.length] ?? "", new Date(at + index)),
      );
      for (let first = 0; first < count; first += insertedAtOnce) {
        await outbox.insertMany(documents.slice(first, first + insertedAtOnce));
        allPartitions.forEach(committed);
      }
    },
    /** Whether relays have read all events. */
    isRead: async () => (await outbox.findOne(newIn(allPartitions))) === null,
    /** Lets the relays publish. */
    open: () => connection.publish(openSubject),
    // Not the messages that the stream contains: those that a consumer settles leave it.
    publishedUntil: async () => (await streams.info(streamName)).state.last_seq,
    clear,
    close: async () => {
      await connection.close();
      await client.close();
    },
  };
}

/** Returns ids of stores, of which each partition has the same number, in turn: any count of them is spread evenly. */
function evenlyPartitioned(): string[] {
  const ofPartition = allPartitions.map((): string[] => []);
  while (ofPartition.some(({ length }) => length < storesOfPartition)) {
    const storeId = newId("sto");
    ofPartition[partitionOf(storeId)]?.push(storeId);
  }
  return Array.from({ length: storesOfPartition }, (_, turn) => ofPartition.map((ids) => ids[turn] ?? "")).flat();
}

/** Returns the event of a certificate of its own, so that no event waits for another. */
function outboxDocument(store: string, at: Date): OutboxDocument {
  const ids = { _id: newId("evt"), certificate: newId("crt") };
  return { ...ids, store, partition: partitionOf(store), at, storedAt: at, type: EventType.ISSUED, event };
}
