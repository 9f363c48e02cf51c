import { setTimeout as delay } from "node:timers/promises";
import { Binary } from "mongodb";
import { connect } from "nats";
import { expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { eventSubject, streamName } from "#shared/nats/event-stream.ts";
import { reason } from "#shared/reasons/reason.ts";
import { noProgress } from "../../services/registry/imports/imports.ts";
import { startDatabaseProxy } from "../harness/database-proxy.ts";
import { eventually } from "../harness/eventually.ts";
import { findInDatabase } from "../harness/find-text.ts";
import { inStore } from "../harness/in-store.ts";
import { issueOne } from "../harness/issue-items.ts";
import { waitingEvents } from "../harness/outbox-events.ts";
import { pagesOf } from "../harness/pages-of.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { newOrderId, orderPayload } from "../harness/storefront/order-payload.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { startTestNats } from "../harness/test-nats.ts";
import { createTestStore } from "../harness/test-stores.ts";
import { openStorefrontRig } from "./storefront-rig.ts";

const nats = await startTestNats();
const { registry, openShop } = await openStorefrontRig({ natsUrl: nats.url });
const { storefrontOrders, storefrontMessages, imports, triggerDeliveries, outbox, deliveries } =
  registry.database.collections;

const email = "mina@example.test";
const orderOf = (id: number, second: number) =>
  orderPayload({
    id,
    email,
    contact_email: email,
    billing_address: { name: "Mina" },
    customer: null,
    updated_at: `2030-01-31T10:00:0${second}-05:00`,
  });
const redact = (orders: readonly number[]) => ({ customer: { email }, orders_to_redact: orders });

test("an order that the platform reports after the erasure of its buyer stays without the buyer", async () => {
  const { report, send, storeId } = await openShop();
  const [known, unknown] = [newOrderId(), newOrderId()];
  await report("orders/paid", orderOf(known, 1));
  await report("customers/redact", redact([known, unknown]));
  await send("orders/updated", orderOf(known, 2));
  await report("orders/updated", orderOf(unknown, 2));
  const stored = JSON.stringify(await storefrontOrders.find({ store: storeId }).toArray());
  expect(stored).not.toMatch(/mina/i);
});

test("an erasure counts running imports and leased trigger events as in flight, and erases labels of API keys", async () => {
  const { storeId } = await openShop();
  await registry.admin.createApiKey({ label: `key of ${email}` }, inStore(storeId));
  await imports.insertOne({
    _id: `imp_${storeId}`,
    store: storeId,
    actor: "test",
    fileName: "orders.csv",
    createdAt: new Date(),
    state: "issuing",
    parts: {},
    progress: noProgress,
    fault: null,
    lease: { token: "t", until: Date.now() + 600_000, since: null, abandoned: 0, wakes: 0 },
  });
  await triggerDeliveries.insertOne({
    _id: `trg_${storeId}/evt_a`,
    store: storeId,
    trigger: `trg_${storeId}`,
    certificate: "crt_a",
    type: 1,
    at: new Date(),
    state: "waiting",
    event: new Binary(Buffer.from(`{"email":"${email}"}`)),
    attempts: 1,
    firstAttemptAt: null,
    dueAt: new Date(Date.now() + 600_000),
    lease: { token: "t", until: Date.now() + 600_000, since: 0, abandoned: 0, wakes: 0, by: "notifier" },
    lastAttempt: null,
  });
  let waitingCount = 0;
  const take = (pageToken: string) => registry.persons.erasePerson({ email, pageToken }, inStore(storeId));
  for await (const step of pagesOf(take)) waitingCount += step.waitingCount;
  expect(waitingCount).toBe(2);
  expect(await triggerDeliveries.findOne({ store: storeId })).toMatchObject({ state: "waiting" });
  const { keys } = await registry.admin.listApiKeys({}, inStore(storeId));
  expect(keys.map(({ label }) => label)).toEqual(["key of [erased]"]);
});

test("an erasure pauses while an event about the person is claimed whose message left the stream", async () => {
  const { report, send, storeId } = await openShop();
  const order = newOrderId();
  await report("orders/paid", orderOf(order, 1));
  const event = await outbox.findOne({ store: storeId });
  await deliveries.insertOne({
    _id: event?._id ?? "",
    store: storeId,
    certificate: event?.certificate ?? "",
    type: 1,
    claimedBy: "replica that died during an erasure",
    claimedAt: new Date(),
    outcome: null,
  });
  const connection = await connect({ servers: nats.url });
  const { streams } = await connection.jetstreamManager();
  const filter = `certificates.*.${storeId}.>`;
  await eventually(async () => expect((await streams.purge(streamName, { filter })).purged).toBe(1));
  await connection.close();
  await send("customers/redact", redact([order]));
  await eventually(async () => {
    const erasure = await storefrontMessages.findOne({ store: storeId, kind: "customer_erasure" });
    expect(erasure?.dueAt?.getTime()).toBeGreaterThan(Date.now() + 1_000);
    expect(erasure).toMatchObject({ attempts: 0 });
  });
});

test("an erasure leaves no copy in quarantine of a message about the person that was being quarantined when it began", async ({
  onTestFinished,
}) => {
  const database = await openTestDatabase(onTestFinished);
  const proxy = await startDatabaseProxy(database.uri, onTestFinished);
  const eraser = await openTestRegistry({ database, natsUrl: nats.url }, onTestFinished);
  // Only the commands of this registry pass through the proxy.
  const delayed = await openTestRegistry({ database: { ...database, uri: proxy.uri } }, onTestFinished);
  const storeId = await createTestStore(eraser);
  await issueOne(eraser, storeId, { buyer: { name: "Mina", email } });
  const [{ id: messageId } = { id: "" }] = await waitingEvents(database, storeId);
  const subject = eventSubject(storeId, EventType.ISSUED, messageId);
  const message = {
    subject,
    sequence: 1n,
    messageId,
    data: Buffer.from(`"${email}`),
    problem: reason("event_malformed"),
  };
  proxy.hold("update quarantine");
  const quarantining = delayed.notifier.quarantineMessage(message);
  await eventually(() => expect(proxy.count("update quarantine")).toBe(1));
  const take = (pageToken: string) => eraser.persons.erasePerson({ email, pageToken }, inStore(storeId));
  const erasing = eventually(async () => {
    let found = 0;
    for await (const { count, waitingCount } of pagesOf(take)) found += count + waitingCount;
    expect(found).toBe(0);
  });
  // An erasure that does not wait for the message ends long before.
  await Promise.race([erasing, delay(2_000)]);
  proxy.heal();
  await Promise.all([quarantining, erasing]);
  expect(await findInDatabase(database, email)).toEqual([]);
});
