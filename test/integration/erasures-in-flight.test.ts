import { Binary } from "mongodb";
import { connect } from "nats";
import { expect, test } from "vitest";
import { streamName } from "#shared/nats/event-stream.ts";
import { noProgress } from "../../services/registry/imports/imports.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { pagesOf } from "../harness/pages-of.ts";
import { newOrderId, orderPayload } from "../harness/storefront/order-payload.ts";
import { startTestNats } from "../harness/test-nats.ts";
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
