import { afterAll, afterEach, expect, onTestFinished, test } from "vitest";
import { consumerName, ensureConsumers, ensureStream, streamName } from "#shared/nats/event-stream.ts";
import { connectForTest, startTestNats } from "../../../test/harness/test-nats.ts";
import type { IncomingMessage } from "./incoming-message.ts";
import { PartitionPull } from "./partition-pull.ts";

const partition = 3;
const patient = { timeout: 60_000, interval: 10 };
const connection = await connectForTest((await startTestNats()).url);

afterEach(async () => {
  await (await connection.jetstreamManager(patient)).streams.delete(streamName);
});
afterAll(() => connection.close());

interface Delivered {
  readonly message: IncomingMessage;
  readonly text: string;
  readonly isExpected: boolean;
}

async function startPull() {
  const manager = await connection.jetstreamManager(patient);
  await ensureStream(manager, { replicas: 1 });
  await ensureConsumers(manager);
  const delivered: Delivered[] = [];
  const pull = new PartitionPull(connection, partition, (message, isExpected) => {
    delivered.push({ message, text: Buffer.from(message.data).toString(), isExpected });
  });
  onTestFinished(() => pull.drain());
  const texts = () => delivered.map(({ text }) => text);
  return { pull, delivered, texts, manager };
}

async function publish(...texts: string[]): Promise<void> {
  for (const text of texts) await connection.jetstream(patient).publish(`certificates.${partition}.store.issued`, text);
}

test("delivers exactly the requested number of messages", async () => {
  const { pull, texts } = await startPull();
  await publish("a", "b", "c");
  expect(await pull.request(2)).toEqual({ reason: "filled", unused: 0 });
  await connection.flush();
  expect(texts()).toEqual(["a", "b"]);
});

test("waits for messages published later, and reports how many were missing when the request expired", async () => {
  const { pull, texts } = await startPull();
  const request = pull.request(2);
  await publish("late");
  expect(await request).toEqual({ reason: "expired", unused: 1 });
  expect(texts()).toEqual(["late"]);
});

test("delivers a message as unexpected if it arrives after its request was abandoned", async () => {
  const { pull, delivered } = await startPull();
  const request = pull.request(1);
  await connection.flush();
  pull.abandon();
  expect(await request).toEqual({ reason: "abandoned", unused: 1 });
  await publish("a");
  await expect.poll(() => delivered.length, patient).toBe(1);
  expect(delivered[0]).toMatchObject({ text: "a", isExpected: false });
});

test("receives a message again after nak, but not after ack or term", async () => {
  const { pull, delivered, texts, manager } = await startPull();
  await publish("a", "b", "c");
  await pull.request(3);
  delivered[0]?.message.ack();
  delivered[1]?.message.nak(50);
  delivered[2]?.message.term("not an event");
  expect(await pull.request(1)).toEqual({ reason: "filled", unused: 0 });
  expect(texts()).toEqual(["a", "b", "c", "b"]);
  expect(delivered[3]?.message).toMatchObject({ sequence: delivered[1]?.message.sequence, deliveryCount: 2 });
  delivered[3]?.message.ack();
  const left = async () => (await manager.streams.info(streamName)).state.messages;
  await expect.poll(left, patient).toBe(0);
});

test("ends a request whose consumer is deleted or does not exist", async () => {
  const { pull, manager } = await startPull();
  const request = pull.request(1);
  // If the consumer were deleted before the server queued the request, the request would end only when it timed out.
  const info = () => manager.consumers.info(streamName, consumerName(partition));
  await expect.poll(info, patient).toMatchObject({ num_waiting: 1 });
  await manager.consumers.delete(streamName, consumerName(partition));
  expect(await request).toMatchObject({ reason: "missing" });
  expect(await pull.request(1)).toMatchObject({ reason: "missing" });
});

test("drain() ends the request on the server, which then delivers no further messages", async () => {
  const { pull, delivered, manager } = await startPull();
  const request = pull.request(5);
  await pull.drain();
  expect(await request).toEqual({ reason: "abandoned", unused: 5 });
  await publish("a");
  expect(delivered).toEqual([]);
  // The consumer counts a message shortly after the stream has stored it.
  const info = () => manager.consumers.info(streamName, consumerName(partition));
  await expect.poll(info, patient).toMatchObject({ num_pending: 1, num_ack_pending: 0 });
});
