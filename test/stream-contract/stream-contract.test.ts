import { AckPolicy, type JetStreamManager, type NatsConnection, NatsError, nanos, RetentionPolicy } from "nats";
import { describe, expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import {
  consumerName,
  ensureConsumers,
  ensureStream,
  eventSubject,
  isConsumerMissing,
  partitionOf,
  readStreamState,
  streamName,
} from "#shared/nats/event-stream.ts";
import { steadyClock } from "#shared/time/clock.ts";
import type { IncomingMessage } from "../../services/notifier/consumer/incoming-message.ts";
import { PartitionPull } from "../../services/notifier/consumer/partition-pull.ts";
import { deleteMessages } from "../../services/registry/outbox/delete-messages.ts";
import { publishToJetStream } from "../../services/registry/outbox/publish-to-jetstream.ts";
import { onRealServer, onSimulatedServer, type StreamServer } from "./servers.ts";

// Short times, so that the cases also end soon on a real server.
const ackWaitMs = 1_000;
// No message is delivered again in the cases in which each is received once, also when the machine stands still.
const longAckWaitMs = 60_000;
// A copy is certainly a copy, also when the machine stands still in between.
const longDuplicateWindowMs = 60_000;
const duplicateWindowMs = 500;
// Time stands still, so that a step deletes all that it may.
const stopped = { now: () => 0 };
const storeId = "sto_1";
const partition = partitionOf(storeId);

const entry = (eventId: string) => ({
  eventId,
  storeId,
  certificateId: "crt_1",
  type: EventType.ISSUED,
  at: new Date(0),
  event: Buffer.from(`event ${eventId}`),
});

/** A client of the stream with a pull of the store's partition. */
interface Client {
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
  readonly pull: PartitionPull;
  readonly received: IncomingMessage[];
  publish(eventId: string): Promise<unknown>;
  /** Pulls until so many messages have been received in all. */
  receive(count: number): Promise<void>;
}

async function openClient(server: StreamServer): Promise<Client> {
  const connection = await server.connect();
  const received: IncomingMessage[] = [];
  const pull = new PartitionPull(connection, partition, (message) => received.push(message));
  const publish = publishToJetStream(connection, steadyClock);
  return {
    connection,
    manager: await connection.jetstreamManager({ timeout: 60_000 }),
    pull,
    received,
    publish: (eventId) => publish(entry(eventId)),
    async receive(count) {
      while (received.length < count) await pull.request(count - received.length);
    },
  };
}

/** Opens a client, with the stream and the consumer of the store's partition. */
async function openStream(
  server: StreamServer,
  ackWait = ackWaitMs,
  duplicateWindow = longDuplicateWindowMs,
): Promise<Client> {
  const client = await openClient(server);
  await client.manager.streams.add({
    name: streamName,
    subjects: ["certificates.>"],
    retention: RetentionPolicy.Workqueue,
    duplicate_window: nanos(duplicateWindow),
  });
  await addConsumer(client.manager, ackWait);
  return client;
}

async function addConsumer(manager: JetStreamManager, ackWait = ackWaitMs): Promise<void> {
  await manager.consumers.add(streamName, {
    durable_name: consumerName(partition),
    filter_subject: `certificates.${partition}.>`,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWait),
  });
}

/** What a test compares of the messages received. */
function summary({ received }: Client): string[] {
  return received.map(({ messageId, deliveryCount }) => `${messageId} ${deliveryCount}`);
}

async function errorCodeOf(call: Promise<unknown>): Promise<unknown> {
  const error: unknown = await call.catch((cause: unknown) => cause);
  return error instanceof NatsError ? (error.api_error?.err_code ?? error.code) : error;
}

const messages = async ({ manager }: Client) => (await manager.streams.info(streamName)).state.messages;
const waitingPulls = async ({ manager }: Client) =>
  (await manager.consumers.info(streamName, consumerName(partition))).num_waiting;

/** Waits for a number of messages or pulls: a server processes acknowledgements and pulls after it has read them. */
async function until(server: StreamServer, count: number, read: () => Promise<number>): Promise<void> {
  for (let tries = 1; tries < 1_000 && (await read()) !== count; tries++) await server.sleep(50);
  expect(await read()).toBe(count);
}

const publishOnce = ({ connection }: Client, eventId: string, msgID: string) =>
  connection
    .jetstream({ timeout: 60_000 })
    .publish(eventSubject(storeId, EventType.ISSUED, eventId), "", { msgID, expect: { lastSubjectSequence: 0 } });

const cases: Readonly<Record<string, (server: StreamServer) => Promise<void>>> = {
  "a stream and its consumers are created once, and then have the wanted configuration": async (server) => {
    const { manager } = await openClient(server);
    expect(await readStreamState(manager, { replicas: 1 })).toBeUndefined();
    expect(await errorCodeOf(ensureConsumers(manager))).toBe(10_059);
    for (let count = 0; count < 2; count++) {
      await ensureStream(manager, { replicas: 1 });
      await ensureConsumers(manager);
    }
    const state = await readStreamState(manager, { replicas: 1 });
    expect(state).toEqual({ isConfigured: true, consumers: 16, messages: 0, bytes: 0 });
  },

  "replicas that create the stream at the same time agree": async (server) => {
    const clients = [await openClient(server), await openClient(server), await openClient(server)];
    await Promise.all(clients.map(({ manager }) => ensureStream(manager, { replicas: 1 })));
    for (const { manager } of clients)
      expect(await readStreamState(manager, { replicas: 1 })).toMatchObject({ isConfigured: true, messages: 0 });
  },

  "without a stream, nothing is stored": async (server) => {
    const client = await openClient(server);
    expect(await errorCodeOf(client.publish("evt_1"))).toBe("503");
    expect(await isConsumerMissing(client.connection, partition)).toBe(true);
    expect(await client.pull.request(1)).toEqual({ reason: "missing", unused: 1 });
  },

  "a copy of a message is dropped, and a message with the subject of another is refused": async (server) => {
    const client = await openStream(server);
    expect(await publishOnce(client, "evt_1", "id-1")).toMatchObject({ seq: 1, duplicate: false });
    const subject = eventSubject(storeId, EventType.ISSUED, "evt_2");
    expect(await client.connection.jetstream().publish(subject, "", { msgID: "id-1" })).toMatchObject({
      duplicate: true,
    });
    // A server checks the expected sequence before the message's id.
    for (const id of ["id-1", "id-2"]) expect(await errorCodeOf(publishOnce(client, "evt_1", id))).toBe(10_071);
    await client.publish("evt_1");
    expect(await messages(client)).toBe(1);
  },

  "after the duplicate window, a copy is refused while the message is stored, and accepted afterwards": async (
    server,
  ) => {
    const client = await openStream(server, ackWaitMs, duplicateWindowMs);
    await publishOnce(client, "evt_1", "evt_1");
    await server.sleep(4 * duplicateWindowMs);
    expect(await errorCodeOf(publishOnce(client, "evt_1", "evt_1"))).toBe(10_071);
    await client.receive(1);
    client.received[0]?.ack();
    await until(server, 0, () => messages(client));
    expect(await publishOnce(client, "evt_1", "evt_1")).toMatchObject({ duplicate: false });
    await client.receive(2);
    expect(summary(client)).toEqual(["evt_1 1", "evt_1 1"]);
  },

  "a copy of a message that has just been acknowledged is dropped": async (server) => {
    const client = await openClient(server);
    await ensureStream(client.manager, { replicas: 1 });
    await addConsumer(client.manager);
    await client.publish("evt_1");
    await client.receive(1);
    client.received[0]?.ack();
    await until(server, 0, () => messages(client));
    expect(await publishOnce(client, "evt_1", "evt_1")).toMatchObject({ duplicate: true });
    expect(await messages(client)).toBe(0);
  },

  "a pull gets the messages in order, at most as many as it requests, and waits for the first": async (server) => {
    const client = await openStream(server, longAckWaitMs);
    const filled = client.pull.request(2);
    for (const id of ["evt_1", "evt_2", "evt_3"]) await client.publish(id);
    expect(await filled).toEqual({ reason: "filled", unused: 0 });
    expect(summary(client)).toEqual(["evt_1 1", "evt_2 1"]);
    for (const message of client.received) message.ack();
    const expired = client.pull.request(2);
    while (client.received.length < 3) await server.sleep(20);
    client.received[2]?.ack();
    expect(await expired).toEqual({ reason: "expired", unused: 1 });
    expect(Buffer.from(client.received[2]?.data ?? []).toString()).toBe("event evt_3");
  },

  "a message is delivered to one of several pulls": async (server) => {
    const [one, other] = [await openStream(server, longAckWaitMs), await openClient(server)];
    const pulls = [one.pull.request(1), other.pull.request(1)];
    await one.connection.flush();
    await other.connection.flush();
    for (const id of ["evt_1", "evt_2"]) await one.publish(id);
    expect((await Promise.all(pulls)).map(({ reason }) => reason)).toEqual(["filled", "filled"]);
    expect([...summary(one), ...summary(other)].toSorted()).toEqual(["evt_1 1", "evt_2 1"]);
  },

  "a message without an acknowledgement is delivered again, and a late acknowledgement still counts": async (
    server,
  ) => {
    const client = await openStream(server);
    await client.publish("evt_1");
    await client.receive(2);
    expect(summary(client)).toEqual(["evt_1 1", "evt_1 2"]);
    client.received[0]?.ack();
    await until(server, 0, () => messages(client));
  },

  "a message whose client reports work is not delivered again meanwhile": async (server) => {
    // Long enough for the pauses of a busy machine.
    const waitMs = 6 * ackWaitMs;
    const client = await openStream(server, waitMs);
    await client.publish("evt_1");
    await client.receive(1);
    const pulled = client.pull.request(1);
    for (let count = 0; count < 12; count++) {
      await server.sleep(waitMs / 10);
      client.received[0]?.working();
    }
    expect(summary(client)).toEqual(["evt_1 1"]);
    await pulled;
    await client.receive(2);
    expect(summary(client)).toEqual(["evt_1 1", "evt_1 2"]);
  },

  "a message that is returned is delivered again, at once or after the delay, and a rejected one is not": async (
    server,
  ) => {
    // Long enough for the pauses of a busy machine between a delivery and its return.
    const waitMs = 5 * ackWaitMs;
    const client = await openStream(server, waitMs);
    await client.publish("evt_1");
    await client.receive(1);
    client.received[0]?.nak(0);
    await client.receive(2);
    const returnedAtMs = steadyClock.now();
    client.received[1]?.nak(2 * waitMs);
    await client.receive(3);
    expect(steadyClock.now() - returnedAtMs).toBeGreaterThan(1.5 * waitMs);
    expect(summary(client)).toEqual(["evt_1 1", "evt_1 2", "evt_1 3"]);
    client.received[2]?.term("unreadable");
    await until(server, 0, () => messages(client));
  },

  "what a client had received, or was about to, when its connection ended is delivered to another": async (server) => {
    // Long enough that evt_1 is not delivered to the first client again before its connection ends.
    const [client, other] = [await openStream(server, 6 * ackWaitMs), await openClient(server)];
    await client.publish("evt_1");
    await client.receive(1);
    void client.pull.request(2);
    await until(server, 1, () => waitingPulls(other));
    await client.connection.close();
    await until(server, 0, () => waitingPulls(other));
    await other.publish("evt_2");
    await other.receive(2);
    // After a pause of the machine, both are due.
    expect(summary(other).toSorted()).toEqual(["evt_1 2", "evt_2 1"]);
  },

  "a pull ends when its consumer is deleted; the new consumer delivers what is stored": async (server) => {
    const client = await openStream(server, longAckWaitMs);
    for (const id of ["evt_1", "evt_2"]) await client.publish(id);
    await client.receive(2);
    client.received[0]?.ack();
    await until(server, 1, () => messages(client));
    const pulled = client.pull.request(1);
    // A request that a server has received, but not yet taken up, is lost with the consumer.
    await until(server, 1, () => waitingPulls(client));
    await client.manager.consumers.delete(streamName, consumerName(partition));
    expect(await pulled).toEqual({ reason: "missing", unused: 1 });
    expect(await client.pull.request(1)).toEqual({ reason: "missing", unused: 1 });
    expect(await isConsumerMissing(client.connection, partition)).toBe(true);
    client.received[1]?.ack();
    await addConsumer(client.manager);
    expect(await isConsumerMissing(client.connection, partition)).toBe(false);
    await client.receive(3);
    expect(summary(client)).toEqual(["evt_1 1", "evt_2 1", "evt_2 1"]);
  },

  "a message that is purged is not delivered again": async (server) => {
    const client = await openStream(server);
    await client.publish("evt_1");
    await client.receive(1);
    expect(await client.manager.streams.purge(streamName)).toMatchObject({ purged: 1 });
    await client.publish("evt_2");
    await server.sleep(1.5 * ackWaitMs);
    await client.receive(2);
    expect(summary(client)).toEqual(["evt_1 1", "evt_2 1"]);
  },

  "selected messages of a store are deleted, or counted": async (server) => {
    const client = await openStream(server);
    const place = { stream: streamName, subjects: `certificates.*.${storeId}.>` };
    for (const id of ["evt_1", "evt_2", "evt_3"]) await client.publish(id);
    const selection = {
      matches: (bytes: Uint8Array) => !Buffer.from(bytes).toString().endsWith("1"),
      isSettled: async (id: string) => id === "evt_2",
    };
    const found = { count: 1, waitingCount: 1, next: undefined };
    expect(await deleteMessages(client.connection, place, { ...selection, apply: false }, stopped)).toEqual(found);
    expect(await messages(client)).toBe(3);
    expect(await deleteMessages(client.connection, place, { ...selection, apply: true }, stopped)).toEqual(found);
    await client.receive(2);
    expect(summary(client)).toEqual(["evt_1 1", "evt_3 1"]);
  },

  "messages are deleted in steps, each of which ends soon": async (server) => {
    const client = await openStream(server);
    const place = { stream: streamName, subjects: `certificates.*.${storeId}.>` };
    await Promise.all(Array.from({ length: 501 }, (_, index) => client.publish(`evt_${index}`)));
    const selection = { matches: () => true, isSettled: async () => true, apply: true };
    const found = await deleteMessages(client.connection, place, selection, stopped);
    expect(found).toMatchObject({ count: 500, next: 501 });
    expect(await messages(client)).toBe(1);
    const rest = { ...selection, from: 501 };
    expect(await deleteMessages(client.connection, place, rest, stopped)).toEqual({
      count: 1,
      waitingCount: 0,
      next: undefined,
    });
  },

  "a step that deletes messages ends after two seconds, but not without progress": async (server) => {
    const client = await openStream(server);
    const place = { stream: streamName, subjects: `certificates.*.${storeId}.>` };
    for (const id of ["evt_1", "evt_2", "evt_3"]) await client.publish(id);
    let now = 0;
    const slow = { now: () => now };
    const isSettled = async () => {
      now += 2_000;
      return true;
    };
    const selection = { matches: () => true, isSettled, apply: true };
    const { next } = await deleteMessages(client.connection, place, selection, slow);
    expect([next, await messages(client)]).toEqual([2, 2]);
    const rest = await deleteMessages(client.connection, place, { ...selection, from: next }, slow);
    expect([rest.next, await messages(client)]).toEqual([3, 1]);
  },

  "a late acknowledgement of a message that the server has lost does not concern a new one": async (server) => {
    const client = await openClient(server);
    const open = async () => {
      await ensureStream(client.manager, { replicas: 1 });
      await ensureConsumers(client.manager);
    };
    await open();
    await client.publish("evt_1");
    await client.receive(1);
    await server.loseStorage();
    while (!(await isConsumerMissing(client.connection, partition))) await server.sleep(100);
    await open();
    await client.publish("evt_2");
    await client.receive(2);
    client.received[0]?.ack();
    // A server processes the acknowledgements of a client in their order.
    await client.publish("evt_3");
    await client.receive(3);
    client.received[2]?.ack();
    await until(server, 1, () => messages(client));
    client.received[1]?.ack();
    await until(server, 0, () => messages(client));
  },

  "a server that loses its storage has neither the stream nor the message ids": async (server) => {
    const client = await openStream(server);
    await client.publish("evt_1");
    await client.receive(1);
    await server.loseStorage();
    while (!(await isConsumerMissing(client.connection, partition))) await server.sleep(100);
    client.received[0]?.ack();
    await ensureStream(client.manager, { replicas: 1 });
    await ensureConsumers(client.manager);
    expect(await publishOnce(client, "evt_1", "evt_1")).toMatchObject({ duplicate: false });
    await client.receive(2);
    expect(summary(client)).toEqual(["evt_1 1", "evt_1 1"]);
  },
};

describe.concurrent("a NATS server", () => {
  test.each(Object.entries(cases))("%s", (_case, use) => onRealServer(use));
});

// Two worlds cannot run at the same time.
describe("the simulated NATS server", () => {
  test.each(Object.entries(cases))("%s", (_case, use) => onSimulatedServer(use));
});
