import { describe, expect, test } from "vitest";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { reason } from "#shared/reasons/reason.ts";
import { systemClock } from "#shared/time/clock.ts";
import { reportedCertificatesMax } from "../../services/registry/storefront/data-report.ts";
import { insertVariants } from "../harness/bulk-certificates.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem, issueOne } from "../harness/issue-items.ts";
import { newOrderId, orderPayload } from "../harness/storefront/order-payload.ts";
import { startTestNats } from "../harness/test-nats.ts";
import { openStorefrontRig } from "./storefront-rig.ts";

const nats = await startTestNats();
const { registry, openShop } = await openStorefrontRig({ natsUrl: nats.url });
const { reports, certificates, storefronts, storefrontMessages, storefrontOrders, quarantine } =
  registry.database.collections;

const email = "mina@example.test";
const customerId = 7_100_000_000_042;
const erased = "erased@erased.invalid";
const giftCard = [{ id: 13_800_000_000_009, gift_card: true }];

const orderOf = (id: number, address: string | null, fields: object = {}) =>
  orderPayload({
    id,
    email: address,
    contact_email: address,
    billing_address: { name: "Mina" },
    customer: null,
    ...fields,
  });

async function openShopWithCustomer() {
  const shop = await openShop();
  const { report, storeId, send } = shop;
  const [hers, other] = [newOrderId(), newOrderId()];
  await send("orders/paid", orderOf(hers, email, { customer: { id: customerId, email } }));
  await report("orders/paid", orderOf(other, "bob@example.test", { billing_address: { name: "Bob" } }));
  const owners = async () => {
    const found = await certificates.find({ store: storeId }).toArray();
    return found.map(({ owner }) => owner.email).sort();
  };
  /** Sends a data request, and returns its report. */
  const reportFor = async (customer: object, orders: readonly number[]) => {
    const payload = { customer, orders_requested: orders };
    await report("customers/data_request", payload, { webhookId: "request-1" });
    return (await registry.storefront.getDataRequestReport({ requestId: "request-1" }, inStore(storeId))).reportJson;
  };
  return { ...shop, hers, other, owners, reportFor };
}

/** Returns the orders and messages that the connector stores for a store, as JSON. */
async function storedText(storeId: string): Promise<string> {
  const ofStore = { _id: { $regex: `^${storeId}/` } };
  const found = [await storefrontOrders.find(ofStore).toArray(), await storefrontMessages.find(ofStore).toArray()];
  return JSON.stringify(found);
}

describe("a customer's data request", () => {
  test("produces a report with the customer's certificates and orders, and no other customer's data", async () => {
    const { reportFor, storeId, hers } = await openShopWithCustomer();
    const [certificate] = await certificates.find({ store: storeId, "order.id": String(hers) }).toArray();
    const revocation = { cause: RevocationCause.IN_APP, reason: "Bob bought it from her." };
    await registry.lifecycle.revokeCertificate(
      { certificateId: certificate?._id ?? "", ...revocation },
      inStore(storeId),
    );
    const reportJson = await reportFor({ email }, [hers]);
    const { requests } = await registry.storefront.listDataRequests({}, inStore(storeId));
    expect(requests.map(({ id }) => id)).toEqual(["request-1"]);
    const order = { id: String(hers), buyer: { name: "Mina", email } };
    expect(JSON.parse(reportJson)).toMatchObject({
      email,
      emails: [email],
      orders: [order],
      certificates: [{ order: { id: String(hers) }, status: "revoked", owner: { name: "Mina", email } }],
    });
    expect(reportJson).not.toMatch(/bob/i);
  });

  test.each<[string, object, boolean]>([
    ["the platform's customer id", { id: customerId, email: null }, false],
    ["order ids", { id: null, email: null }, true],
  ])("without an e-mail address finds the customer by %s", async (_what, customer, namesOrders) => {
    const { report, reportFor, storeId, hers } = await openShopWithCustomer();
    // This order contains a gift card, which gets no certificate.
    const second = newOrderId();
    await report("orders/paid", orderOf(second, email, { lines: giftCard, customer: { id: customerId, email } }));
    const reportJson = await reportFor(customer, namesOrders ? [hers, second] : []);
    const found = JSON.parse(reportJson);
    expect(found).toMatchObject({ emails: [email], certificates: [{ owner: { name: "Mina", email } }] });
    expect(found.certificates).toHaveLength(1);
    expect(found.orders.map(({ id }: { id: string }) => id).sort()).toEqual([String(hers), String(second)].sort());
    expect(reportJson).not.toContain("bob@");
    expect((await registry.storefront.getStorefront({}, inStore(storeId))).failedCount).toBe(0);
  });
});

test("a customer's report has at most 5,000 certificates, and states whether there are more", async () => {
  const { report, storeId } = await openShop();
  const order = { id: "1000", name: "#1000", line: "1", unit: 1 };
  await issueOne(registry, storeId, { order, buyer: { name: "Mina", email } });
  const count = reportedCertificatesMax + 40;
  const signal = new AbortController().signal;
  await insertVariants(registry.database.collections, storeId, { count, signal, onProgress: () => undefined });
  const orderIds = Array.from({ length: 40 }, (_, index) => 1_000 + index);
  const reportFor = async (webhookId: string, orders: readonly number[]) => {
    await report("customers/data_request", { customer: { email }, orders_requested: orders }, { webhookId });
    const answer = await registry.storefront.getDataRequestReport({ requestId: webhookId }, inStore(storeId));
    const { certificates: found, hasMoreCertificates } = JSON.parse(answer.reportJson);
    return [found.length, hasMoreCertificates];
  };
  expect(await reportFor("all", orderIds)).toEqual([reportedCertificatesMax, true]);
  expect(await reportFor("without-last", orderIds.slice(0, -1))).toEqual([count - Math.floor(count / 40), false]);
});

describe("the erasure of a customer", () => {
  test("covers the customer's certificates and orders, but no other customer's", async () => {
    const { report, owners, storeId } = await openShopWithCustomer();
    expect(await owners()).toEqual(["bob@example.test", email]);
    await report("customers/redact", { customer: { email }, orders_to_redact: [] });
    expect(await owners()).toEqual(["bob@example.test", erased]);
    const stored = await storedText(storeId);
    expect(stored).not.toMatch(new RegExp(`${email}|Mina|${customerId}`));
    expect(stored).toContain("bob@");
  });

  test.each<[string, object, boolean]>([
    ["order ids", { email: null }, true],
    ["the platform's customer id", { id: customerId }, false],
  ])("without an e-mail address finds the customer by %s", async (_what, customer, namesOrders) => {
    const { report, owners, storeId, hers } = await openShopWithCustomer();
    await report("customers/redact", { customer, orders_to_redact: namesOrders ? [hers] : [] });
    expect(await owners()).toEqual(["bob@example.test", erased]);
    expect(await storedText(storeId)).not.toMatch(new RegExp(`${email}|Mina|${customerId}`));
  });

  test("covers an order with the buyer's name but no e-mail address", async () => {
    const { report, storeId } = await openShop();
    const id = newOrderId();
    await report("orders/paid", orderOf(id, null));
    expect(await storedText(storeId)).toContain("Mina");
    await report("customers/redact", { customer: { email: null }, orders_to_redact: [id] });
    expect(await storedText(storeId)).not.toContain("Mina");
  });
});

test("an interrupted erasure continues with the e-mail addresses it had found, and finally deletes them", async () => {
  const { storeId, settled } = await openShop();
  const order = { id: String(newOrderId()), name: "#1", line: "1", unit: 1 };
  const item = issueItem({ order, buyer: { name: "Mina", email } });
  const { results } = await registry.issuing.issueCertificates({ items: [item, issueItem()] }, inStore(storeId));
  const certificateId = results[1]?.certificateId ?? "";
  await registry.verification.reportProblem({ certificateId, content: `Write to ${email}.` });
  // The first step, after which no certificate contains the customer's address any more.
  await registry.persons.erasePerson({ email, pageToken: "" }, inStore(storeId));
  const reported = async () => JSON.stringify(await reports.find({ store: storeId }).toArray());
  expect(await reported()).toContain(email);
  const content = { kind: "customer_erasure", email: "", customerId: "", orderIds: [order.id] };
  const dueAt = new Date();
  await storefrontMessages.insertOne({
    _id: `${storeId}/interrupted`,
    store: storeId,
    kind: "customer_erasure",
    topic: "customers/redact",
    triggeredAt: dueAt,
    receivedAt: dueAt,
    dueAt,
    attempts: 0,
    content: JSON.stringify(content),
    erasing: [email],
  });
  await storefronts.updateOne({ _id: storeId }, { $set: { dueAt } }, { upsert: true });
  await settled();
  expect(await reported()).not.toContain(email);
  expect(await storefrontMessages.findOne({ _id: `${storeId}/interrupted` })).not.toHaveProperty("erasing");
});

describe("the erasure of a store's customers", () => {
  test("does nothing while the app is installed", async () => {
    const { report, owners } = await openShopWithCustomer();
    await report("shop/redact", { shop_id: 1 });
    expect(await owners()).toEqual(["bob@example.test", email]);
  });

  test("covers all customers in one pass, even those without certificates and those in failed messages", async () => {
    const { report, send, owners, storeId } = await openShopWithCustomer();
    await send("orders/paid", orderOf(newOrderId(), "carol@example.test", { lines: giftCard }));
    await report("orders/paid", orderOf(newOrderId(), null, { billing_address: { name: "Dora Nomail" } }));
    const content = JSON.stringify({ kind: "order", order: { buyer: { name: "Eve", email: "eve@example.test" } } });
    const at = new Date(systemClock.now());
    const fields = { store: storeId, kind: "order", topic: "orders/paid", triggeredAt: at, receivedAt: at } as const;
    await storefrontMessages.insertOne({
      _id: `${storeId}/failed`,
      ...fields,
      attempts: 6,
      failure: reason("internal_error"),
      content,
    });
    const foreign = {
      subject: "?",
      data: Buffer.from('{"email":"fay@example.test"}'),
      sequence: 1n,
      problem: reason("event_malformed"),
    };
    await registry.notifier.quarantineMessage(foreign);

    await send("app/uninstalled", { id: 1 });
    await report("shop/redact", { shop_id: 1 });
    expect(new Set(await owners())).toEqual(new Set([erased]));
    expect(await storedText(storeId)).not.toMatch(/mina@|bob@|carol@|eve@|Mina|Bob|Dora|Eve/);
    // A message without a store may belong to another store.
    const kept = await quarantine.find().toArray();
    expect(kept.map(({ data }) => Buffer.from(data.value()).toString())).toEqual([expect.stringContaining("fay@")]);
    const { entries } = await registry.inspection.listStoreHistory({}, inStore(storeId));
    expect(entries.filter(({ action }) => action === "person.erased")).toHaveLength(1);
  });

  test("does nothing if the app was removed but has been installed again", async () => {
    const { report, send, owners } = await openShopWithCustomer();
    const minute = (count: number) => new Date(systemClock.now() + count * 60_000).toISOString();
    await send("app/uninstalled", { id: 1 }, { triggeredAt: minute(-10) });
    await send("app/installed", {}, { triggeredAt: minute(-5) });
    await report("shop/redact", { shop_id: 1 });
    expect(await owners()).toEqual(["bob@example.test", email]);
  });
});
