import { Binary } from "mongodb";
import { connect } from "nats";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { partitionCount, partitionOf, streamName } from "#shared/nats/event-stream.ts";
import { until } from "../../../deploy/local/servers/until.ts";
import type { OutboxDocument } from "../../../services/registry/mongo/documents/documents.ts";
import { indexes } from "../../../services/registry/mongo/opening/indexes.ts";
import { newId } from "../../../services/registry/values/identifiers.ts";
import { alternate, type Side } from "../alternate.ts";
import { openBaseline } from "../baseline/open-baseline.ts";
import type { BenchStack } from "../bench-stack.ts";
import { compare } from "../compare.ts";
import { type LoadProcess, startLoad } from "../load/load-process.ts";
import type { BenchOptions } from "../options.ts";
import type { Finding, Part } from "./part.ts";

/** Conditions under which the relays publish. */
interface Condition {
  readonly title: string;
  /** Added to each publish, in milliseconds. */
  readonly addedMs: number;
  /** Maximum number of publishes in progress in each relay. */
  readonly publishingMax: number;
  /** Events per second for which each relay gets a backlog. */
  readonly eventsPerSecond: number;
}

// Few enough publishes in progress that a relay waits for NATS rather than for the CPU that all relays here share.
const slowPublish: Condition = {
  title: "16 publishes in progress per relay, each 20 ms longer",
  addedMs: 20,
  publishingMax: 16,
  eventsPerSecond: 700,
};
const fullSpeed: Condition = {
  title: "500 publishes in progress per relay, on the cores that all relays and servers share",
  addedMs: 0,
  publishingMax: 500,
  eventsPerSecond: 2_000,
};

// As long as the encoded event of a benchmark certificate; neither the relay nor NATS interprets the content.
const event = new Binary(new Uint8Array(700));
const insertedAtOnce = 500;
const dividedWithinMs = 30_000;
const publishedWithinMs = 120_000;

/**
 * Compares two relays, each a process with half of the partitions, with one relay that has all of them: the rate at
 * which they publish the events of many stores, from an outbox of their own, to JetStream.
 */
export const measureRelay: Part = async (stack, options, signal) => {
  const outbox = await openOutbox(stack, options.stores);
  stack.onClose(outbox.close);
  return {
    slow_publish: await compareRelays(stack, outbox, slowPublish, options, signal),
    full_speed: await compareRelays(stack, outbox, fullSpeed, options, signal),
  };
};

type BenchOutbox = Awaited<ReturnType<typeof openOutbox>>;

async function compareRelays(
  stack: BenchStack,
  outbox: BenchOutbox,
  condition: Condition,
  { rounds, roundMs: durationMs }: BenchOptions,
  signal: AbortSignal,
): Promise<Finding> {
  const sides = [relaySide("service", 2, stack, outbox, condition), relaySide("one", 1, stack, outbox, condition)];
  const turns = await alternate(sides, { rounds, durationMs, signal });
  return { title: `relay: two relays, compared with one; ${condition.title}`, ...compare(turns) };
}

function relaySide(
  name: string,
  relayCount: number,
  stack: BenchStack,
  outbox: BenchOutbox,
  { addedMs, publishingMax, eventsPerSecond }: Condition,
): Side {
  const setup = { databaseUri: stack.baselineUri, natsUrl: stack.natsUrl, addedMs, publishingMax };
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
    prepare: async () => {
      await stack.deliveries.pause();
      const starting = Array.from({ length: relayCount }, () => startLoad("test/bench/loads/relay.ts", setup));
      relays = await Promise.all(starting);
      await until(AbortSignal.timeout(dividedWithinMs), haveDivided);
    },
    round: async (durationMs) => {
      const count = Math.ceil((relayCount * eventsPerSecond * durationMs) / 1_000);
      const startedAt = performance.now();
      const inserting = outbox.insert(count);
      await until(AbortSignal.timeout(publishedWithinMs), async () => (await outbox.publishedCount()) >= count);
      const elapsedMs = performance.now() - startedAt;
      await inserting;
      return { units: count, elapsedMs };
    },
    settle: async () => {
      await stop();
      await outbox.clear();
      await stack.deliveries.resume();
    },
  };
}

/** Opens the outbox of the measured relays, in the baselines' database, and the stream to which they publish. */
async function openOutbox(stack: BenchStack, storeCount: number) {
  const { client, collections } = await openBaseline(stack.baselineUri, 4);
  const connection = await connect({ servers: stack.natsUrl });
  const { streams } = await connection.jetstreamManager();
  const { outbox, leases } = collections;
  await outbox.createIndexes([...indexes.outbox]);
  const storeIds = evenlyPartitioned(storeCount);
  return {
    insert: async (count: number) => {
      const at = Date.now();
      const documents = Array.from({ length: count }, (_, index) =>
        outboxDocument(storeIds[index % storeIds.length] ?? "", new Date(at + index)),
      );
      for (let first = 0; first < count; first += insertedAtOnce)
        await outbox.insertMany(documents.slice(first, first + insertedAtOnce));
    },
    publishedCount: async () => (await streams.info(streamName)).state.messages,
    clear: async () => {
      await outbox.deleteMany({});
      // The leases of killed relays would delay the next turn until they expire.
      await leases.deleteMany({});
      await streams.purge(streamName);
    },
    close: async () => {
      await connection.close();
      await client.close();
    },
  };
}

/** Returns ids of stores, at least `count`, of which each partition has the same number. */
function evenlyPartitioned(count: number): string[] {
  const ofPartitionMax = Math.ceil(count / partitionCount);
  const ofPartition = new Map<number, string[]>();
  while (ofPartition.size < partitionCount || [...ofPartition.values()].some((ids) => ids.length < ofPartitionMax)) {
    const storeId = newId("sto");
    const ids = ofPartition.get(partitionOf(storeId)) ?? [];
    if (ids.length < ofPartitionMax) ofPartition.set(partitionOf(storeId), [...ids, storeId]);
  }
  return [...ofPartition.values()].flat();
}

/** Returns the event of a certificate of its own, so that no event waits for another. */
function outboxDocument(store: string, at: Date): OutboxDocument {
  const ids = { _id: newId("evt"), certificate: newId("crt") };
  return { ...ids, store, partition: partitionOf(store), at, type: EventType.ISSUED, event };
}
