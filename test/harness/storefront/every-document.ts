import { expect } from "vitest";
import { RuleNumbering, RuleSelector } from "#gen/registry/v1/storefront_service_pb.js";
import { reason } from "#shared/reasons/reason.ts";
import { systemClock } from "#shared/time/clock.ts";
import { MongoStorefrontImages } from "../../../services/registry/mongo/storefront/mongo-storefront-images.ts";
import { MongoStorefrontInbox } from "../../../services/registry/mongo/storefront/mongo-storefront-inbox.ts";
import { MongoStorefrontOrders } from "../../../services/registry/mongo/storefront/mongo-storefront-orders.ts";
import { MongoStorefrontProducts } from "../../../services/registry/mongo/storefront/mongo-storefront-products.ts";
import { MongoStorefronts } from "../../../services/registry/mongo/storefront/mongo-storefronts.ts";
import { MongoWorkQueue } from "../../../services/registry/mongo/storefront/mongo-work-queue.ts";
import { MongoProductDisplays } from "../../../services/registry/mongo/stores/mongo-product-displays.ts";
import type { OrderSnapshot } from "../../../services/registry/storefront/message.ts";
import type { OrderRecord } from "../../../services/registry/storefront/order-record.ts";
import { eventually } from "../eventually.ts";
import { inStore } from "../in-store.ts";
import type { TestRegistry } from "../registry-fixture.ts";
import { storeHistoryOf } from "../store-history-of.ts";

const units = [{ lineId: "13800000000001", quantity: 1 }];
const line = {
  id: "13800000000001",
  productId: "8100000000001",
  title: "Alpine Jacket",
  variant: "M",
  sku: "AJ-M",
  quantity: 2,
  currentQuantity: 1,
  isGiftCard: false,
};
const order: OrderSnapshot = {
  id: "5400000000001",
  name: "#1001",
  createdAtMs: 1,
  updatedAtMs: 2,
  payment: "paid",
  isCancelled: false,
  isTest: false,
  buyer: { name: "Ada", email: "ada@example.test", customerId: "42" },
  lines: [line],
  refunds: [{ id: "1", units }],
};
const record: OrderRecord = {
  order,
  refunds: order.refunds,
  rank: { updatedAtMs: 2, triggeredAtMs: 3, messageId: "m1" },
};

const idle = (storeId: string) => ({ _id: storeId, lease: { $exists: false }, dueAt: { $exists: false } });

/**
 * Writes every kind of document that the storefront connector stores, with each optional field present and absent. The
 * stored work is due in a minute, so that no worker changes the documents before a test reads them. Work that is due
 * much later would be due at once, because only a clock that was set back explains it.
 */
export async function writeStorefrontDocuments({ database, storefront }: TestRegistry, storeId: string): Promise<void> {
  const { collections } = database;
  const clock = { ...systemClock, now: () => systemClock.now() + 60_000 };
  const inbox = new MongoStorefrontInbox(collections, clock);
  const orders = new MongoStorefrontOrders(collections, clock);
  const history = storeHistoryOf(database);
  const storefronts = new MongoStorefronts(collections, history, clock);
  const { ALL, PRODUCT, SKU, TAG } = RuleSelector;
  const rules = [
    { name: "one", selector: PRODUCT, value: "8100000000001", editionTotal: 5, numbering: RuleNumbering.SHARED },
    { name: "art", selector: TAG, value: "art", validDays: 10 },
    ...[
      { name: "cards", selector: SKU, value: "C-*", excludes: true },
      { name: "rest", selector: ALL },
    ],
  ];
  await storefront.setStorefrontRules({ rules }, inStore(storeId));
  // Waits until the registry has finished its own work for the new rules.
  await eventually(async () => expect(await collections.storefronts.findOne(idle(storeId))).not.toBeNull());
  await storefronts.noteInstalled(storeId, new Date(1));
  await storefronts.noteUninstalled(storeId, new Date(0));

  const message = (id: string) =>
    ({ id, topic: "orders/paid", triggeredAtMs: 3, content: { kind: "order", order } }) as const;
  await inbox.add(storeId, message("m1"), "waiting");
  // Claims the store's work; the work of another store, added below, remains due.
  await new MongoWorkQueue(collections, clock).claim();
  const { rules: stored, rulesVersion: expectedVersion } = await storefronts.find(storeId);
  const changed = { actor: "test", touchSince: new Date(1) };
  await storefronts.setRules(storeId, stored, { ...changed, expectedVersion });
  await inbox.noteErasing(storeId, "m1", {
    emails: ["ada@example.test"],
    since: new Date(1),
    progress: { isSearch: true, position: "0:events", foundCount: 1, waitingCount: 2 },
  });
  await inbox.add("sto_other", message("m2"), "waiting");
  await inbox.add(storeId, message("m3"), { failure: reason("message_malformed", { fault: "invalid_type" }) });
  const refund = { kind: "refund", orderId: order.id, refund: { id: "1", units } } as const;
  await inbox.add("sto_other", { ...message("m5"), topic: "refunds/create", content: refund }, "waiting");
  const customer = { email: "ada@example.test", orderIds: [order.id], customerId: "42" };
  const request = { kind: "customer_data_request", ...customer } as const;
  await inbox.add("sto_other", { ...message("m6"), topic: "customers/data_request", content: request }, "waiting");

  const orderIds = ["5400000000001", "5400000000002", "5400000000003"];
  await orders.write(storeId, new Map(orderIds.map((id) => [id, { record, version: 0 }])));
  // Begins to make the orders due, for the rules that were set above.
  await storefronts.touchOrders(storeId, 1);
  await storefronts.setRules(storeId, stored, { ...changed, expectedVersion: expectedVersion + 1 });
  const outcome = { notes: [reason("test_order")], waitsFor: ["8100000000001"] };
  const order2 = { orderId: "5400000000002", record, version: 1, attempts: 0, deaths: 0, waitsFor: outcome.waitsFor };
  await orders.settle(storeId, [{ order: order2, outcome }]);
  const order3 = { orderId: "5400000000003", version: 1 };
  await orders.begin(storeId, order3, "worker", new Date(clock.now()));
  await inbox.begin(storeId, "m1", "worker", new Date(clock.now()));
  await orders.record(storeId, order3, { added: 6, retryAt: undefined, failure: reason("internal_error") });
  const product = { id: "8100000000002", tags: ["art"], updatedAtMs: 1, imageUrl: "" };
  const rank = { updatedAtMs: 1, triggeredAtMs: 2, messageId: "m4" };
  const products = new MongoStorefrontProducts(collections, history, clock);
  await products.put(storeId, [{ product, rank }]);
  const withImage = ["8100000000003", "8100000000004"];
  const imageUrl = "https://images.example.test/kite.jpg";
  await products.put(
    storeId,
    withImage.map((id) => ({ product: { ...product, id, imageUrl }, rank })),
  );
  const images = new MongoStorefrontImages(collections, history, new MongoProductDisplays(collections, history));
  const [one = "", two = ""] = withImage;
  await images.request({ storeId, productId: one, title: "Kite", actor: "Ada" });
  const claim = await images.claim();
  if (claim !== undefined) await images.fail(claim, reason("image_refused", { status: 404 }));
  await images.request({ storeId, productId: two, title: "Kite", actor: "Ada" });
  await images.claim();
}
