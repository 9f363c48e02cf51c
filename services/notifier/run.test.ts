import { createHmac } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connect, type NatsConnection } from "nats";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { eventSubject, partitionOf, streamName } from "#shared/nats/event-stream.ts";
import { makeServerCertificate, type ServerCertificate } from "../../deploy/local/receiver/self-signed.ts";
import { freePort } from "../../deploy/local/servers/free-port.ts";
import { startMessages } from "../../deploy/local/servers/message-server.ts";
import type { RunningServer } from "../../deploy/local/servers/running-server.ts";
import { notifierConfig } from "./config.ts";
import { type EventInit, eventBytes, testEvent } from "./consumer/event-fixture.ts";
import { fixtureSecret, type RegistryFixture, startRegistryFixture } from "./registry-fixture.ts";
import { type RunningNotifier, startNotifier } from "./run.ts";
import { type ReceiverFixture, startReceiverFixture } from "./webhook/receiver-fixture.ts";

let folder: string;
let certificate: ServerCertificate;
let natsPort: number;
let messages: RunningServer;
let connection: NatsConnection;
let registry: RegistryFixture;
const cleanUp: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "notifier-"));
  certificate = await makeServerCertificate();
  await writeFile(join(folder, "ca.pem"), certificate.caPem);
  natsPort = await freePort();
});
beforeEach(async () => {
  messages = await startNats();
  connection = await connect({ servers: messages.url, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  registry = await startRegistryFixture();
});
afterEach(async () => {
  for (const undo of cleanUp.splice(0).toReversed()) await undo();
  await registry.stop();
  await connection.close();
  await messages.stop();
  await rm(join(folder, "data"), { recursive: true, force: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const startNats = () =>
  startMessages({
    dataDir: join(folder, "data"),
    port: natsPort,
    log: () => undefined,
    logFile: join(folder, "nats.log"),
    env: { ...process.env, NATS_URL: "" },
  });

async function start(more: Record<string, string> = {}): Promise<RunningNotifier> {
  const config = notifierConfig({
    NOTIFIER_REGISTRY_ADDRESS: `127.0.0.1:${registry.port}`,
    NOTIFIER_NATS_SERVERS: `nats://127.0.0.1:${natsPort}`,
    NOTIFIER_HOST: "127.0.0.1",
    NOTIFIER_OPERATIONS_PORT: "0",
    NOTIFIER_EXTRA_CA_FILE: join(folder, "ca.pem"),
    NOTIFIER_SHUTDOWN_GRACE_MS: "1000",
    ...more,
  });
  const notifier = await startNotifier(config, pino({ level: "silent" }));
  cleanUp.push(() => notifier.stop());
  return notifier;
}

async function readiness(notifier: RunningNotifier): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${notifier.operationsPort}/readyz`);
  return (await response.text()).trim();
}

const ready = (notifier: RunningNotifier) => eventually(() => readiness(notifier)).toBe("ok");

/** A receiver for a store; it replies 204 after a while, or never. */
async function receiverOf(storeId: string, delayMs: number | "never" = 0): Promise<ReceiverFixture> {
  const receiver = await startReceiverFixture(certificate, (socket) => {
    if (delayMs !== "never") setTimeout(() => socket.end("HTTP/1.1 204 No Content\r\n\r\n"), delayMs);
  });
  cleanUp.push(() => receiver.stop());
  registry.webhooks.set(storeId, `https://127.0.0.1:${receiver.port}/`);
  return receiver;
}

async function publish(...events: EventInit[]): Promise<void> {
  for (const init of events) {
    const event = testEvent(init);
    const subject = eventSubject(event.storeId, event.type);
    await connection.jetstream().publish(subject, eventBytes(event), { msgID: event.id });
  }
}

const eventually = <T>(look: () => T | Promise<T>) => expect.poll(look, { timeout: 20_000, interval: 10 });

const idsAt = (receiver: ReceiverFixture) =>
  receiver.requests.map(({ head }) => /X-Service-Delivery: (\S+)/.exec(head)?.[1]);

async function messagesLeft(): Promise<number> {
  const manager = await connection.jetstreamManager();
  return (await manager.streams.info(streamName)).state.messages;
}

const numbered = (count: number, init: (index: number) => EventInit) =>
  Array.from({ length: count }, (_, index) => init(index));

test("an issued event reaches the store's URL once, signed, and is recorded and settled", async () => {
  const receiver = await receiverOf("store-1");
  await ready(await start());
  await publish({}, {});
  await eventually(messagesLeft).toBe(0);
  expect(receiver.requests).toHaveLength(1);
  const { head, body } = receiver.requests[0] ?? { head: "", body: Buffer.alloc(0) };
  expect(body.toString()).toBe(
    '{"version":2,"event":"issued","shop":"shop.example","occurredAt":"2026-07-01T08:09:10.020Z",' +
      '"certificate":{"id":"certificate-1"}}',
  );
  const digest = createHmac("sha256", fixtureSecret).update(body).digest("hex");
  expect(head).toContain(`X-Service-Signature: sha256=${digest}`);
  expect(registry.outcomes.get("event-1")).toMatchObject({ kind: OutcomeKind.DELIVERED, httpStatus: 204 });
});

test("it waits for NATS and for the registry, in any order, and says so", async () => {
  await messages.stop();
  await registry.stop();
  const notifier = await start();
  expect(await readiness(notifier)).toBe("waiting for NATS JetStream");
  messages = await startNats();
  await eventually(() => readiness(notifier)).toBe("waiting for the registry");
  registry = await startRegistryFixture(registry.port);
  const receiver = await receiverOf("store-1");
  await ready(notifier);
  await publish({});
  await eventually(() => receiver.requests.length).toBe(1);
});

test("when NATS is gone and comes back, and even lost everything, it goes on", async () => {
  const receiver = await receiverOf("store-1");
  const notifier = await start();
  await ready(notifier);
  messages.kill();
  await messages.exited;
  await eventually(() => readiness(notifier)).toBe("waiting for NATS JetStream");
  messages = await startNats();
  await ready(notifier);
  // The test's own connection may not be back yet, and after the loss the notifier has to make the stream again: the
  // stream drops what is published twice.
  const published = async (id: string) => {
    await publish({ id });
    return true;
  };
  const publishedOnce = (id: string) => eventually(() => published(id).catch(() => false)).toBe(true);
  await publishedOnce("after-restart");
  await eventually(() => receiver.requests.length).toBe(1);

  await (await connection.jetstreamManager()).streams.delete(streamName);
  await publishedOnce("after-loss");
  await eventually(() => receiver.requests.length).toBe(2);
});

test("what cannot be read is dropped and does not block its partition", async () => {
  const receiver = await receiverOf("store-1");
  await ready(await start());
  await connection.jetstream().publish(`certificates.${partitionOf("store-1")}.store-1.issued`, "hello");
  await publish({});
  await eventually(messagesLeft).toBe(0);
  expect(receiver.requests).toHaveLength(1);
});

test("no more messages are pulled than there are slots, whatever the number of stores", async () => {
  const stores = numbered(40, (index) => ({ storeId: `store-${index}` }));
  for (const { storeId } of stores) await receiverOf(storeId ?? "", "never");
  const notifier = await start({ NOTIFIER_CONCURRENCY_MAX: "32" });
  await ready(notifier);
  const events = stores.flatMap(({ storeId = "" }, store) =>
    numbered(3, (index) => ({ id: `${store}-${index}`, storeId, certificateId: `${store}-${index}` })),
  );
  await publish(...events);
  const manager = await connection.jetstreamManager();
  let most = 0;
  for (let look = 0; look < 20; look++) {
    let inHand = 0;
    for await (const consumer of manager.consumers.list(streamName)) inHand += consumer.num_ack_pending;
    most = Math.max(most, inHand);
    await delay(100);
  }
  // Partitions without a store keep their one slot.
  expect(most).toBeGreaterThan(16);
  expect(most).toBeLessThanOrEqual(32);
  expect(registry.claims.size).toBe(most);
});

test("a store whose receiver hangs, with a backlog, does not delay another one of its partition", async () => {
  const partition = partitionOf("store-1");
  const others = Array.from({ length: 200 }, (_, index) => `other-${index}`);
  const other = others.find((id) => partitionOf(id) === partition) ?? "";
  const hanging = await receiverOf("store-1", "never");
  const healthy = await receiverOf(other, 20);
  await ready(await start({ NOTIFIER_CONCURRENCY_MAX: "64" }));
  await publish(...numbered(300, (index) => ({ id: `hung-${index}`, certificateId: `hung-${index}` })));
  await eventually(() => hanging.requests.length).toBe(8);
  const startedAt = performance.now();
  await publish(
    ...numbered(20, (index) => ({ id: `ok-${index}`, certificateId: `${index}`, storeId: other })),
  );
  await eventually(() => healthy.requests.length).toBe(20);
  expect(performance.now() - startedAt).toBeLessThan(3_000);
  expect(hanging.requests).toHaveLength(8);
});

test("a store with a burst gets everything once, without pauses, each certificate's events in order", async () => {
  const receiver = await receiverOf("store-1", 5);
  registry.pace.claimMs = 20;
  await ready(await start());
  const events = numbered(300, (index) => ({
    id: `${index % 60}:${String(index).padStart(3, "0")}`,
    certificateId: `certificate-${index % 60}`,
  }));
  await publish(...events);
  const startedAt = performance.now();
  await eventually(messagesLeft).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  const ids = idsAt(receiver);
  expect(ids.toSorted()).toEqual(events.map(({ id }) => id).toSorted());
  for (let number = 0; number < 60; number++) {
    const own = ids.filter((id) => id?.startsWith(`${number}:`));
    expect(own).toEqual(own.toSorted());
  }
});

test("a registry that fails for a while loses no event, repeats no POST and changes no order", async () => {
  const receiver = await receiverOf("store-1");
  registry.failures.claims = 2;
  registry.failures.outcomes = 3;
  await ready(await start());
  const events = numbered(5, (index) => ({ id: `event-${index}` }));
  await publish(...events);
  await eventually(messagesLeft).toBe(0);
  expect(idsAt(receiver)).toEqual(events.map(({ id }) => id));
  expect(registry.outcomes.size).toBe(5);
});

test("a claim that was stored though its answer was lost is never sent", async () => {
  const receiver = await receiverOf("store-1");
  registry.failures.lateClaims = 1;
  await ready(await start());
  await publish({ id: "ambiguous", certificateId: "a" });
  await eventually(() => registry.claims.has("ambiguous")).toBe(true);
  await delay(2_500);
  await publish({ id: "clear", certificateId: "b" });
  await eventually(() => idsAt(receiver)).toEqual(["clear"]);
  await eventually(messagesLeft).toBe(1);
});

test("stopping finishes what is under way and leaves the rest to another replica", async () => {
  const receiver = await receiverOf("store-1", 300);
  const first = await start({ NOTIFIER_STORE_CONCURRENCY_MAX: "4" });
  await ready(first);
  const events = numbered(30, (index) => ({ id: `event-${index}`, certificateId: `${index}` }));
  await publish(...events);
  await eventually(() => receiver.requests.length).toBe(4);
  await first.stop();
  expect(receiver.requests).toHaveLength(4);
  expect(registry.outcomes.size).toBe(4);
  await ready(await start());
  await eventually(messagesLeft).toBe(0);
  expect(idsAt(receiver).toSorted()).toEqual(events.map(({ id }) => id).toSorted());
  expect([...registry.outcomes.values()].every(({ kind }) => kind === OutcomeKind.DELIVERED)).toBe(true);
});

test("what does not end within the grace period is recorded as interrupted and not sent again", async () => {
  const receiver = await receiverOf("store-1", "never");
  const first = await start({ NOTIFIER_SHUTDOWN_GRACE_MS: "100" });
  await ready(first);
  await publish({});
  await eventually(() => receiver.requests.length).toBe(1);
  await first.stop();
  expect(registry.outcomes.get("event-1")).toMatchObject({ kind: OutcomeKind.INTERRUPTED, httpStatus: 0 });
  await ready(await start());
  await delay(300);
  expect(receiver.requests).toHaveLength(1);
  expect(await messagesLeft()).toBe(0);
});
