import { expect, test } from "vitest";
import { systemClock } from "#shared/time/clock.ts";
import { MongoStorefrontOrders } from "../../services/registry/mongo/storefront/mongo-storefront-orders.ts";
import { lineFixture, orderFixture, ruleFixture } from "../../services/registry/storefront/order-fixture.ts";
import { reconcileOrders } from "../../services/registry/storefront/reconcile-orders.ts";
import { createTestLedger } from "../harness/ledger-fixture.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const { collections } = registry.database;

test("an order of many units is left after a step when the worker's turn ends, and stays due until it is complete", async () => {
  const storeId = await createTestStore(registry);
  const orders = new MongoStorefrontOrders(collections, systemClock);
  const order = orderFixture({ lines: [lineFixture({ quantity: 250, currentQuantity: 250 })] });
  await orders.write(storeId, new Map([[order.id, { record: { order, rank: null, refunds: [] }, version: 0 }]]));
  const { queue } = createTestLedger(registry.database);
  const issuedCount = () => collections.certificates.countDocuments({ store: storeId });

  const turn = new AbortController();
  const deps = {
    orders,
    products: { tagsOf: async () => new Map() },
    queue,
    now: () => new Date(),
    onReconciled: () => turn.abort(),
  };
  const inputs = { rules: [ruleFixture()], rulesVersion: 0, erasures: 0 };
  await reconcileOrders(deps, storeId, await orders.takeDue(storeId, 1), inputs, turn.signal);
  expect(await issuedCount()).toBe(100);

  const due = await orders.takeDue(storeId, 1);
  expect(due).toHaveLength(1);
  await reconcileOrders(deps, storeId, due, inputs, new AbortController().signal);
  expect([await issuedCount(), await orders.takeDue(storeId, 1)]).toEqual([250, []]);
});
