import { timestampMs } from "@bufbuild/protobuf/wkt";
import { afterAll, describe, expect, test } from "vitest";
import { reason } from "#shared/reasons/reason.ts";
import { inStore } from "../harness/in-store.ts";
import { metricValues } from "../harness/metric-values.ts";
import { newOrderId, orderPayload } from "../harness/storefront/order-payload.ts";
import { openTestPlatform } from "../harness/test-platform.ts";
import { openStorefrontRig } from "./storefront-rig.ts";

// Only the body of a message is signed. An attacker who has a signed text can send it with any headers.

const platform = await openTestPlatform(afterAll);
const { app, registry, edge, edgeUrl, openShop } = await openStorefrontRig({ env: platform.variables });
const { storefronts, storefrontMessages, certificates } = registry.database.collections;

const storedOf = (storeId: string) => storefrontMessages.countDocuments({ store: storeId });

async function countOf(outcome: "refused" | "unknown_store" | "failed"): Promise<number> {
  const counts = await metricValues(`http://127.0.0.1:${edge.operationsPort}`, "edge_storefront_messages_total");
  return counts[`platform="shopify",outcome="${outcome}"`] ?? 0;
}

/** Sends a correctly signed body. @returns the status */
async function statusOf(shop: string, topic: string, payload: object | string, triggeredAt?: string): Promise<number> {
  const body = typeof payload === "string" ? payload : JSON.stringify(payload);
  return (await app.send(edgeUrl, { shop, topic, payload: body, ...(triggeredAt && { triggeredAt }) })).status;
}

describe("a signed text that is not a JSON object", () => {
  test("such as a session token of the platform is refused on every topic, stored for no store, and counted", async () => {
    const { shop, storeId } = await openShop();
    // On some platforms, one secret signs the tokens and the messages: a token's signature fits its first two parts.
    const [header, claims] = (await platform.sign(shop)).split(".");
    const before = await countOf("refused");
    const topics = ["orders/paid", "app/uninstalled", "shop/redact", "carts/update"];
    const bodies = [`${header}.${claims}`, "[]", '"text"', "null", "7", ""];
    for (const topic of topics)
      for (const body of bodies) expect([topic, body, await statusOf(shop, topic, body)]).toEqual([topic, body, 400]);
    expect(await storedOf(storeId)).toBe(0);
    expect(await countOf("refused")).toBe(before + topics.length * bodies.length);
  });
});

describe("a captured message", () => {
  test("about a product, sent as the removal of another store's app in the year 2100, closes nothing", async () => {
    const { shop, storeId } = await openShop();
    await registry.admin.createApiKey({ label: "test" }, inStore(storeId));
    const product = { id: 8_100_000_000_001, title: "Print", tags: "", updated_at: "2026-01-31T10:00:00-05:00" };
    expect(await statusOf(shop, "app/uninstalled", product, "2100-01-01T00:00:00Z")).toBe(400);
    expect((await registry.storefront.getStorefront({}, inStore(storeId))).isClosed).toBe(false);
    expect((await registry.admin.listApiKeys({}, inStore(storeId))).keys).toHaveLength(1);
    expect(await storedOf(storeId)).toBe(0);
  });

  test.each([
    ["app/uninstalled", (shop: string) => ({ id: 1, domain: "own.example.test", myshopify_domain: shop })],
    ["app/installed", (shop: string) => ({ shop_domain: shop, installed_at: new Date().toISOString() })],
    ["customers/data_request", (shop: string) => ({ shop_domain: shop, customer: null, orders_requested: [1] })],
    ["shop/redact", (shop: string) => ({ shop_id: 1, shop_domain: shop })],
  ])("on the topic %s is accepted for the store that it names, and for no other store", async (topic, payloadOf) => {
    const [own, other] = [await openShop(), await openShop()];
    const payload = payloadOf(own.shop);
    expect(await statusOf(other.shop, topic, payload)).toBe(400);
    expect(await storedOf(other.storeId)).toBe(0);
    expect(await statusOf(own.shop.toUpperCase(), topic, payload)).toBe(200);
    expect(await storedOf(own.storeId)).toBe(1);
  });

  test("that erases a customer of one store erases nobody in another store", async () => {
    const [own, other] = [await openShop(), await openShop()];
    const customer = { id: 7, email: "ada@example.test" };
    for (const { report } of [own, other]) {
      await report("orders/paid", orderPayload({ id: newOrderId(), customer }));
    }
    const request = { shop_id: 1, shop_domain: own.shop, customer, orders_to_redact: [] };
    expect(await statusOf(other.shop, "customers/redact", request)).toBe(400);
    expect(await storedOf(other.storeId)).toBe(1);
    const owned = await certificates.find({ store: other.storeId }).toArray();
    expect(owned.map(({ owner }) => owner.email)).toEqual(["ada@example.test"]);
    // The same request is accepted for the store that it names.
    expect(await statusOf(own.shop, "customers/redact", request)).toBe(200);
    expect(await storedOf(own.storeId)).toBe(2);
  });
});

test("a signed message that is repeated for a store that does not exist is not counted as a failure of the registry", async () => {
  const [unknown, failed] = [await countOf("unknown_store"), await countOf("failed")];
  expect(await statusOf("missing.example.test", "orders/paid", orderPayload())).toBe(404);
  expect(await countOf("unknown_store")).toBe(unknown + 1);
  expect(await countOf("failed")).toBe(failed);
});

test("a time in the future, which the platform does not sign, is replaced with the current time", async () => {
  const { shop, storeId, send } = await openShop();
  const removed = { id: 1, domain: shop, myshopify_domain: shop };
  expect(await statusOf(shop, "app/uninstalled", removed, "2100-01-01T00:00:00Z")).toBe(200);
  await send("orders/paid", orderPayload(), { triggeredAt: "2100-01-01T00:00:00Z" });
  // The clocks of the platform and the database may differ by ten seconds.
  const latest = Date.now() + 10_000;
  const { uninstalledAt } = (await storefronts.findOne({ _id: storeId })) ?? {};
  expect(uninstalledAt?.getTime()).toBeGreaterThan(latest - 120_000);
  expect(uninstalledAt?.getTime()).toBeLessThanOrEqual(latest);
  const stored = await storefrontMessages.find({ store: storeId }).toArray();
  expect(stored.map(({ triggeredAt }) => triggeredAt.getTime() <= latest)).toEqual([true, true]);
});

test("a store stores at most 1,000 messages that cannot be read; others are stored meanwhile", async () => {
  const { report, shop, storeId } = await openShop();
  const at = new Date();
  const fields = { store: storeId, topic: "orders/paid", triggeredAt: at, receivedAt: at, attempts: 0, content: "" };
  await storefrontMessages.insertMany(
    Array.from({ length: 999 }, (_, index) => {
      return {
        _id: `${storeId}/odd-${index}`,
        kind: "unreadable" as const,
        failure: reason("message_malformed", { fault: "odd" }),
        ...fields,
      };
    }),
  );
  const failedCount = async () => (await registry.storefront.getStorefront({}, inStore(storeId))).failedCount;
  for (let count = 0; count < 3; count += 1) expect(await statusOf(shop, "orders/paid", { id: "odd" })).toBe(200);
  expect(await failedCount()).toBe(1_000);
  const operationsUrl = `http://127.0.0.1:${edge.operationsPort}`;
  const counts = await metricValues(operationsUrl, "edge_storefront_messages_total");
  expect(counts['platform="shopify",outcome="dropped"']).toBe(2);
  await report("orders/paid", orderPayload());
  expect(await certificates.countDocuments({ store: storeId })).toBe(1);
  const { lastMessageAt } = await registry.storefront.getStorefront({}, inStore(storeId));
  expect(lastMessageAt && timestampMs(lastMessageAt)).toBeGreaterThanOrEqual(at.getTime());
});
