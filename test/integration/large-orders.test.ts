import type { CommandStartedEvent } from "mongodb";
import { expect, test } from "vitest";
import { systemClock } from "#shared/time/clock.ts";
import { collectionsOf } from "../../services/registry/mongo/documents/collections.ts";
import { MongoStorefrontOrders } from "../../services/registry/mongo/storefront/mongo-storefront-orders.ts";
import type { OrderLine } from "../../services/registry/storefront/message.ts";
import { lineFixture, orderFixture, ruleFixture } from "../../services/registry/storefront/order-fixture.ts";
import { reconcileOrders } from "../../services/registry/storefront/reconcile-orders.ts";
import { createTestLedger } from "../harness/ledger-fixture.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { openWatchedClient } from "../harness/sent-commands.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const { collections } = registry.database;

const orders = new MongoStorefrontOrders(collections, systemClock);
const depsOf = (onReconciled: () => void) => ({
  orders,
  products: { tagsOf: async () => new Map() },
  queue: createTestLedger(registry.database).queue,
  now: () => new Date(),
  onReconciled,
});

async function writeOrder(storeId: string, lines: readonly OrderLine[], id = orderFixture().id): Promise<void> {
  const order = orderFixture({ id, lines });
  await orders.write(storeId, new Map([[order.id, { record: { order, rank: null, refunds: [] }, version: 0 }]]));
}

test("an order of many units is left after a step when the worker's turn ends, and stays due until it is complete", async () => {
  const storeId = await createTestStore(registry);
  await writeOrder(storeId, [lineFixture({ quantity: 250, currentQuantity: 250 })]);
  const issuedCount = () => collections.certificates.countDocuments({ store: storeId });

  const turn = new AbortController();
  const deps = depsOf(() => turn.abort());
  const inputs = { rules: [ruleFixture()], rulesVersion: 0, erasures: 0 };
  await reconcileOrders(deps, storeId, await orders.takeDue(storeId, 1), inputs, turn.signal);
  expect(await issuedCount()).toBe(100);

  const due = await orders.takeDue(storeId, 1);
  expect(due).toHaveLength(1);
  await reconcileOrders(deps, storeId, due, inputs, new AbortController().signal);
  expect([await issuedCount(), await orders.takeDue(storeId, 1)]).toEqual([250, []]);
});

test("the certificates of large orders are loaded one order after the other, those of small orders together", async () => {
  const storeId = await createTestStore(registry);
  const quantities = [6_000, 6_000, 1_000_000, 2, 3, 10_000];
  for (const [index, quantity] of quantities.entries())
    await writeOrder(storeId, [lineFixture({ quantity, currentQuantity: 0 })], String(index));
  const { client } = await openWatchedClient(registry.database.uri);
  const loaded: unknown[] = [];
  client.on("commandStarted", ({ command }: CommandStartedEvent) => {
    if (command.find === "certificates") loaded.push(command.filter["order.id"].$in);
  });
  const watched = new MongoStorefrontOrders(collectionsOf(client.db()), systemClock);
  const deps = { ...depsOf(() => undefined), orders: watched };
  const inputs = { rules: [ruleFixture()], rulesVersion: 0, erasures: 0 };
  const due = (await orders.takeDue(storeId, 50)).toSorted((a, b) => a.orderId.localeCompare(b.orderId));
  await reconcileOrders(deps, storeId, due, inputs, new AbortController().signal);
  expect(loaded).toEqual([["0"], ["1"], ["2"], ["3", "4"], ["5"]]);
  expect(await orders.takeDue(storeId, 50)).toEqual([]);
});

test.each([10_000, 1_000_000])(
  "an order whose first line has %d units of a sold-out edition gets the certificates of its other lines",
  async (quantity) => {
    const storeId = await createTestStore(registry);
    const soldOut = lineFixture({ quantity, currentQuantity: quantity });
    const other = lineFixture({ id: "100002", productId: "7002", sku: "SP-A2", quantity: 5, currentQuantity: 5 });
    await writeOrder(storeId, [soldOut, other]);
    const inputs = { rules: [ruleFixture({ editionTotal: 100 })], rulesVersion: 0, erasures: 0 };
    const deps = depsOf(() => undefined);
    // The second time, because the order then waits for the edition.
    for (let times = 0; times < 2; times += 1)
      await reconcileOrders(deps, storeId, await orders.takeDue(storeId, 1), inputs, new AbortController().signal);
    const countOf = (sku: string) => collections.certificates.countDocuments({ store: storeId, "product.sku": sku });
    expect([await countOf(soldOut.sku), await countOf(other.sku)]).toEqual([100, 5]);
    const order = await collections.storefrontOrders.findOne({ store: storeId });
    // Nor does a note say that the order has too many units.
    expect(order?.notes.map(({ code }) => code)).toEqual(["sold_out"]);
    expect(await orders.takeDue(storeId, 1)).toEqual([]);
  },
);
