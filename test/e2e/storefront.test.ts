import { readFile } from "node:fs/promises";
import { afterAll, expect, test } from "vitest";
import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { ListClient } from "../harness/list-client.ts";
import { openStack } from "../harness/stack/open-stack.ts";
import { partOf } from "../harness/stack/start-stack.ts";
import { orderPayload, refundPayload } from "../harness/storefront/order-payload.ts";
import { allProducts } from "../harness/storefront/rules.ts";
import { openTestPlatformApp } from "../harness/storefront/test-platform-app.ts";

const app = await openTestPlatformApp(afterAll);
const stack = await openStack({
  name: "storefront",
  registries: [{}],
  edges: [{ env: { EDGE_PLATFORM_SECRET_FILE: app.secretFile } }],
});
const { admin, storefront } = partOf(stack.registries);
const { url } = partOf(stack.edges);
const [jacket, poster] = [13_800_000_000_001, 13_800_000_000_002];

/** Creates a store whose orders get certificates. @returns its id, and functions to send messages and create clients */
async function openShop(shop: string) {
  const { store } = await admin.createStore({ shop, plan: Plan.PRO });
  const storeId = store?.id ?? "";
  await storefront.setStorefrontRules({ rules: [allProducts] }, inStore(storeId));
  const createClient = async () => {
    const { apiKey } = await admin.createApiKey({ label: "shop" }, inStore(storeId));
    return new ListClient(url, apiKey);
  };
  const send = async (topic: string, payload: object, triggeredAt?: string) => {
    const response = await app.send(url, { shop, topic, payload, ...(triggeredAt && { triggeredAt }) });
    expect([topic, response.status]).toEqual([topic, 200]);
  };
  return { storeId, send, createClient };
}

/** Waits until the list has exactly these certificates of an order, each as `serial SKU status [revocation reason]`. */
async function untilListed(client: ListClient, order: string, expected: readonly string[]): Promise<void> {
  const read = async () =>
    (await client.page({ order })).certificates
      .map(({ serial, product, status, revokedReason }) => [serial, product.sku, status, revokedReason ?? ""].join(" "))
      .map((text) => text.trim())
      .sort();
  await eventually(async () => expect(await read()).toEqual(expected));
}

test("the public list reflects an order's signed webhooks, from payment to cancellation", async () => {
  const { send, createClient } = await openShop("story.example.test");
  const client = await createClient();
  const id = 5_400_000_000_001;
  const lines = [
    { id: jacket, sku: "AJ-M", quantity: 2 },
    { id: poster, sku: "P", quantity: 1 },
  ];
  const at = (minute: number) => `2030-01-31T10:${String(minute).padStart(2, "0")}:00-05:00`;
  const order = (minute: number, fields: object) =>
    orderPayload({ id, name: "#1001", lines, updated_at: at(minute), ...fields });

  await send("orders/create", order(0, { financial_status: "pending" }));
  await send("orders/paid", order(1, {}));
  const issued = ["000001 AJ-M active", "000002 AJ-M active", "000003 P active"];
  await untilListed(client, "#1001", issued);
  const [first] = (await client.page({ serial: "1" })).certificates;
  expect(first).toMatchObject({
    order: { id: String(id), name: "#1001" },
    owner: { name: "Ada Example", email: "ada@example.test" },
    product: { title: "Alpine Jacket", variant: "M / Blue" },
  });

  // The poster is removed, and a second one is added as a line of its own.
  const edited = [...lines.slice(0, 1), { id: poster, sku: "P", quantity: 1, current_quantity: 0 }];
  const added = { id: poster + 1, sku: "P2", quantity: 1 };
  await send("orders/updated", order(2, { lines: [...edited, added] }));
  const afterEdit = ["000003 P revoked Removed from the order", "000004 P2 active"];
  await untilListed(client, "#1001", [...issued.slice(0, 2), ...afterEdit]);

  await send("refunds/create", refundPayload(1, { [jacket]: 1 }, id));
  const afterRefund = ["000001 AJ-M active", "000002 AJ-M revoked Refund", ...afterEdit];
  await untilListed(client, String(id), afterRefund);

  await send("orders/cancelled", order(4, { lines: [...edited, added], cancelled_at: at(4) }));
  await untilListed(client, String(id), [
    "000001 AJ-M revoked Order cancelled",
    ...["000002 AJ-M revoked Refund", "000003 P revoked Removed from the order"],
    "000004 P2 revoked Order cancelled",
  ]);
  expect(await client.page({ status: "active" })).toMatchObject({ certificates: [] });
});

test("issues an order's certificates from messages with all of the platform's fields, even if the refund arrives before the payment", async () => {
  const { send, createClient } = await openShop("recorded.example.test");
  const client = await createClient();
  const folder = "../../services/edge/connector/shopify/recorded";
  const recorded = async (name: string) =>
    JSON.parse(await readFile(new URL(`${folder}/${name}.json`, import.meta.url), "utf8"));
  await send("refunds/create", await recorded("refund-partial"));
  await send("orders/paid", await recorded("order-paid"));
  await untilListed(client, "#1042", ["000001 WH-A2-F active"]);
});

test("uninstalling the app ends access to the list immediately; after reinstallation, a new key lists the same certificates", async () => {
  const { send, createClient, storeId } = await openShop("removed.example.test");
  const client = await createClient();
  const minutesAgo = (count: number) => new Date(Date.now() - count * 60_000).toISOString();
  await send("orders/paid", orderPayload({ name: "#1" }));
  await untilListed(client, "#1", ["000001 AJ-M active"]);

  await send("app/uninstalled", { id: 1 }, minutesAgo(10));
  const refused = await client.fetch("");
  expect([refused.status, await refused.json()]).toMatchObject([401, { error: "unauthorized" }]);

  await send("app/installed", {}, minutesAgo(5));
  const again = await createClient();
  await untilListed(again, "#1", ["000001 AJ-M active"]);
  // A late duplicate of the app/uninstalled message does not close the store again.
  await send("app/uninstalled", { id: 1 }, minutesAgo(10));
  expect((await storefront.getStorefront({}, inStore(storeId))).isClosed).toBe(false);
  await send("orders/paid", orderPayload({ name: "#2" }));
  await untilListed(again, "#2", ["000002 AJ-M active"]);
});
