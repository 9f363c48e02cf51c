import { afterAll, describe, expect, test } from "vitest";
import { RuleSelector } from "#gen/registry/v1/storefront_service_pb.js";
import { startEdge } from "../../services/edge/testing/start-edge.ts";
import { eventually } from "../harness/eventually.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { newOrderId, orderPayload, refundPayload } from "../harness/storefront/order-payload.ts";
import { openTestPlatformApp } from "../harness/storefront/test-platform-app.ts";

const app = await openTestPlatformApp(afterAll);
const registry = await openTestRegistry();
const edge = await startEdge({
  registryAddress: registry.address,
  platformSecretFiles: [app.secretFile],
  registryTimeoutMs: 20_000,
});
afterAll(() => edge.stop());
const edgeUrl = `http://127.0.0.1:${edge.port}`;

const within = { withinMs: 20_000 };
let shopCount = 0;

async function openShop(rules: object[] = [{ name: "all", selector: RuleSelector.ALL, since: { seconds: 0n } }]) {
  shopCount += 1;
  const shop = `storefront-${shopCount}.example.test`;
  const { store } = await registry.admin.createStore({ shop, plan: 2 });
  const storeId = store?.id ?? "";
  await registry.storefront.setStorefrontRules({ storeId, rules });
  const send = async (topic: string, payload: object, more: object = {}) => {
    const response = await app.send(edgeUrl, { shop, topic, payload, ...more });
    expect(response.status).toBe(200);
  };
  const { certificates } = registry.database.collections;
  const statuses = async (orderId: number) => {
    const found = await certificates
      .find({ store: storeId, "order.id": String(orderId) })
      .sort({ issueKey: 1 })
      .toArray();
    return found.map(({ issueKey, status }) => `${issueKey?.split("/").slice(1).join("/")} ${status}`);
  };
  return { shop, storeId, send, statuses };
}

describe("an order", () => {
  test("gets one certificate for each unit, and loses those of refunded units", async () => {
    const { send, statuses } = await openShop();
    const id = newOrderId();
    const lines = [{ id: 11_000_001, quantity: 2 }];
    await send("orders/create", orderPayload({ id, lines, financial_status: "pending" }));
    await send("orders/paid", orderPayload({ id, lines, updated_at: "2030-01-31T10:00:02-05:00" }));
    await eventually(
      async () => expect(await statuses(id)).toEqual(["11000001/1 active", "11000001/2 active"]),
      within,
    );
    await send("refunds/create", refundPayload(1, { 11000001: 1 }, id));
    await eventually(
      async () => expect(await statuses(id)).toEqual(["11000001/1 active", "11000001/2 revoked"]),
      within,
    );
  });
});
