import type { Filter } from "mongodb";
import { expect, onTestFinished, test } from "vitest";
import { Loop } from "#shared/lifecycle/loop.ts";
import { reason } from "#shared/reasons/reason.ts";
import { systemClock } from "#shared/time/clock.ts";
import type { StorefrontDocument } from "../../services/registry/mongo/documents/storefront-documents.ts";
import { workLeaseMs } from "../../services/registry/storefront/storefront-storage.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { startTestRegistry } from "../harness/registry-fixture.ts";
import { newOrderId, orderPayload } from "../harness/storefront/order-payload.ts";
import { allProducts } from "../harness/storefront/rules.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { openStorefrontRig } from "./storefront-rig.ts";

const hourMs = 3_600_000;
const database = await openTestDatabase();
const { storefronts, storefrontMessages, storefrontOrders } = database.collections;

const clock = { ...systemClock, now: () => Date.now() + hourMs };
const { registry, openShop } = await openStorefrontRig({ database, overrides: { clock } });
const shop = await openShop();
const { storeId } = shop;

/** Keeps all registries from working for the store until the returned function runs. */
async function holdWork(): Promise<() => Promise<void>> {
  const leased = () => ({ token: "another", until: Date.now() + workLeaseMs, since: null, abandoned: 0, wakes: 0 });
  const hold = async (filter: Filter<StorefrontDocument>) => {
    const { matchedCount } = await storefronts.updateOne({ _id: storeId, ...filter }, { $set: { lease: leased() } });
    expect(matchedCount).toBe(1);
  };
  await eventually(() => hold({ lease: { $exists: false } }));
  const renewal = async () => {
    await hold({ "lease.token": "another" });
    return 1_000;
  };
  const renewing = new Loop({ clock: systemClock, step: renewal });
  renewing.start();
  const letWork = async () => {
    await renewing.stop();
    await storefronts.updateOne({ _id: storeId, "lease.token": "another" }, { $unset: { lease: 1 } });
  };
  onTestFinished(letWork);
  return letWork;
}

/** Returns the latest time at which anything of the store is due, relative to now. */
async function latestDueInMs(): Promise<number> {
  const due = { store: storeId, dueAt: { $exists: true } };
  const found = [
    await storefronts.findOne({ _id: storeId }),
    ...(await storefrontMessages.find(due).toArray()),
    ...(await storefrontOrders.find(due).toArray()),
  ];
  const times = found.flatMap((one) => one?.dueAt?.getTime() ?? []);
  expect(times).not.toEqual([]);
  return Math.max(...times) - Date.now();
}

const line = { id: 13_800_000_000_001, quantity: 1 };
const orderId = newOrderId();
// The connector issues nothing for it, so that an import does.
const unpaidId = newOrderId();
await shop.send("orders/create", orderPayload({ id: unpaidId, lines: [line], financial_status: "pending" }));
const failedKey = () => ({ _id: `${storeId}/failed` });
const placeOrder = () => shop.send("orders/paid", orderPayload({ id: orderId, lines: [line] }));

const changes: readonly [string, () => Promise<unknown>][] = [
  ["a message", placeOrder],
  ["a change of the rules", () => registry.storefront.setStorefrontRules({ rules: [allProducts] }, inStore(storeId))],
  [
    "an enlarged edition",
    async () => {
      const product = { id: "p1", title: "Alpine Jacket", variants: [{ sku: "AJ-M", title: "M" }] };
      await registry.admin.putProducts({ products: [{ ...product, editionTotal: 1 }] }, inStore(storeId));
      await registry.admin.putProducts({ products: [{ ...product, editionTotal: 2 }] }, inStore(storeId));
    },
  ],
  [
    "an import of the same order",
    () => {
      const product = { id: "", title: "Alpine Jacket", variant: "M / Blue", sku: "AJ-M" };
      const item = issueItem({ product, order: { id: String(unpaidId), name: "#1", line: "1", unit: 1 } });
      return registry.issuing.issueCertificates({ items: [item], isImport: true }, inStore(storeId));
    },
  ],
  [
    "a retry on request",
    async () => {
      onTestFinished(async () => void (await storefrontMessages.deleteOne(failedKey())));
      const message = { store: storeId, kind: "order", topic: "orders/updated", content: '{"kind":"order"}' } as const;
      const times = { triggeredAt: new Date(), receivedAt: new Date() };
      await storefrontMessages.insertOne({
        ...failedKey(),
        ...message,
        ...times,
        attempts: 6,
        failure: reason("internal_error"),
      });
      await registry.storefront.retryStorefront({}, inStore(storeId));
    },
  ],
];

test.each(changes)("%s is due at once although the registry's clock is an hour ahead", async (_name, change) => {
  if (change !== placeOrder) await placeOrder();
  await shop.settled();
  await holdWork();
  await change();
  expect(await latestDueInMs()).toBeLessThan(5_000);
});

test("work is retried within seconds although the registry that failed at it has a clock that is an hour ahead", async () => {
  await shop.settled();
  const letWork = await holdWork();
  await placeOrder();
  await registry.stop();
  await storefrontMessages.updateMany(
    { store: storeId, dueAt: { $exists: true } },
    { $set: { content: '{"kind":"order"}' } },
  );
  const failing = await startTestRegistry({ database, overrides: { clock } });
  await letWork();
  const attempts = async () => (await storefrontMessages.findOne({ store: storeId, attempts: { $gt: 0 } }))?.attempts;
  // A slow look at the message can miss an attempt, and another may take place while the registry stops.
  await eventually(async () => expect(await attempts()).toBeGreaterThan(0));
  await failing.stop();
  const before = (await attempts()) ?? 0;
  expect(await latestDueInMs()).toBeLessThan(60_000);
  const right = await startTestRegistry({ database });
  await eventually(async () => expect(await attempts()).toBeGreaterThan(before));
  await right.stop();
});
