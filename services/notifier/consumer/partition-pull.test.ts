import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type NatsConnection } from "nats";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { consumerName, ensureConsumers, ensureStream, streamName } from "#shared/nats/event-stream.ts";
import { startNats } from "../../../deploy/local/servers/nats-server.ts";
import type { RunningServer } from "../../../deploy/local/servers/running-server.ts";
import type { IncomingMessage } from "./incoming-message.ts";
import { PartitionPull } from "./partition-pull.ts";

let folder: string;
let server: RunningServer;
let connection: NatsConnection;
const partition = 3;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pull-"));
  const place = { dataDir: join(folder, "data"), port: 0, logFile: join(folder, "nats.log") };
  server = await startNats({ ...place, log: () => undefined, env: { ...process.env, NATS_URL: "" } });
  connection = await connect({ servers: server.url });
});
afterEach(async () => {
  await (await connection.jetstreamManager()).streams.delete(streamName);
});
afterAll(async () => {
  await connection.close();
  await server.stop();
  await rm(folder, { recursive: true });
});

interface Taken {
  readonly message: IncomingMessage;
  readonly text: string;
  readonly isExpected: boolean;
}

async function startPull() {
  const manager = await connection.jetstreamManager();
  await ensureStream(manager, { replicas: 1 });
  await ensureConsumers(manager);
  const taken: Taken[] = [];
  const pull = new PartitionPull(connection, partition, (message, isExpected) => {
    taken.push({ message, text: Buffer.from(message.data).toString(), isExpected });
  });
  const texts = () => taken.map(({ text }) => text);
  return { pull, taken, texts, manager };
}

async function publish(...texts: string[]): Promise<void> {
  for (const text of texts)
    await connection.jetstream().publish(`certificates.${partition}.store.issued`, text);
}

const patient = { timeout: 10_000, interval: 10 };

test("a request brings so many messages and no more", async () => {
  const { pull, texts } = await startPull();
  await publish("a", "b", "c");
  expect(await pull.request(2)).toEqual({ reason: "filled", unused: 0 });
  await connection.flush();
  expect(texts()).toEqual(["a", "b"]);
  await pull.drain();
});

test("a request waits for messages that come later, and expires with what did not come", async () => {
  const { pull, texts } = await startPull();
  const request = pull.request(2);
  await publish("late");
  expect(await request).toEqual({ reason: "expired", unused: 1 });
  expect(texts()).toEqual(["late"]);
  await pull.drain();
});

test("a message that comes after its request was given up is taken, as unexpected", async () => {
  const { pull, taken } = await startPull();
  const request = pull.request(1);
  await connection.flush();
  pull.abandon();
  expect(await request).toEqual({ reason: "abandoned", unused: 1 });
  await publish("a");
  await expect.poll(() => taken.length, patient).toBe(1);
  expect(taken[0]).toMatchObject({ text: "a", isExpected: false });
  await pull.drain();
});

test("what was put back comes again, what was acknowledged or dropped does not", async () => {
  const { pull, taken, texts, manager } = await startPull();
  await publish("a", "b", "c");
  await pull.request(3);
  taken[0]?.message.ack();
  taken[1]?.message.nak(50);
  taken[2]?.message.term("no event");
  expect(await pull.request(1)).toEqual({ reason: "filled", unused: 0 });
  expect(texts()).toEqual(["a", "b", "c", "b"]);
  expect(taken[3]?.message).toMatchObject({ sequence: 2, deliveryCount: 2 });
  taken[3]?.message.ack();
  const left = async () => (await manager.streams.info(streamName)).state.messages;
  await expect.poll(left, patient).toBe(0);
  await pull.drain();
});

test("a consumer that is not there ends the request", async () => {
  const { pull, manager } = await startPull();
  const request = pull.request(1);
  // Requests that the server has not yet queued get no answer; those end by their own time limit.
  const info = () => manager.consumers.info(streamName, consumerName(partition));
  await expect.poll(info, patient).toMatchObject({ num_waiting: 1 });
  await manager.consumers.delete(streamName, consumerName(partition));
  expect(await request).toMatchObject({ reason: "missing" });
  expect(await pull.request(1)).toMatchObject({ reason: "missing" });
  await pull.drain();
});

test("draining ends the request at the server: nothing more is handed out", async () => {
  const { pull, taken, manager } = await startPull();
  const request = pull.request(5);
  await pull.drain();
  expect(await request).toEqual({ reason: "abandoned", unused: 5 });
  await publish("a");
  expect(taken).toEqual([]);
  // The consumer learns of a message a moment after the stream has stored it.
  const info = () => manager.consumers.info(streamName, consumerName(partition));
  await expect.poll(info, patient).toMatchObject({ num_pending: 1, num_ack_pending: 0 });
});
