import { afterAll, expect, test, vi } from "vitest";
import { systemClock } from "#shared/time/clock.ts";
import { storefrontKey } from "../../services/registry/mongo/documents/storefront-documents.ts";
import { MongoWorkQueue } from "../../services/registry/mongo/storefront/mongo-work-queue.ts";
import type { StorefrontMessage } from "../../services/registry/storefront/message.ts";
import { emptyOrderRecord } from "../../services/registry/storefront/order-record.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { createRegistry } from "../simulation/simulated-registry.ts";

const database = await openTestDatabase();
afterAll(() => database.close());
const { collections } = database;
const { storefronts, storefrontOrders, storefrontMessages } = collections;
let nowMs = Date.UTC(2026, 10, 28);
const clock = { ...systemClock, now: () => nowMs };
const queue = new MongoWorkQueue(collections, clock, () => new Date(nowMs));

/** Starts a replica that dies as soon as it works on what `isDeadly` selects. */
function startReplica(isDeadly: { readonly order?: string; readonly message?: string }) {
  const replica = createRegistry(database, { clock, databaseClock: clock });
  const died = Promise.withResolvers<"died">();
  const die = () => {
    died.resolve("died");
    return new Promise<never>(() => undefined);
  };
  const { certificatesOf } = replica.orders;
  vi.spyOn(replica.orders, "certificatesOf").mockImplementation((storeId, ids) =>
    ids.some((id) => id === isDeadly.order) ? die() : certificatesOf.call(replica.orders, storeId, ids),
  );
  const { put } = replica.products;
  vi.spyOn(replica.products, "put").mockImplementation((storeId, products) =>
    products.some(({ product }) => product.id === isDeadly.message)
      ? die()
      : put.call(replica.products, storeId, products),
  );
  return { ...replica, died: died.promise };
}

/** Lets replicas work, each after the death of the one before, until nothing is due. @returns the number of deaths */
async function workUntilDone(isDeadly: Parameters<typeof startReplica>[0], onTurn: () => Promise<void>) {
  for (let deaths = 0; ; ) {
    const claim = await queue.claim();
    if (claim === undefined) return deaths;
    const { work, died } = startReplica(isDeadly);
    for (;;) {
      const result = await Promise.race([work(claim.id, claim.abandonedCount > 0), died]);
      if (result === "died") deaths += 1;
      else if (!result) await queue.complete(claim);
      if (result !== true) break;
    }
    await onTurn();
    // Longer than a lease, and than work is postponed.
    nowMs += 61_000;
  }
}

const dueOf = (storeId: string) => storefrontOrders.countDocuments({ store: storeId, dueAt: { $exists: true } });

test("an order that kills each worker fails after some attempts; the store's others and another store's do not wait", async () => {
  const { orders } = startReplica({});
  const record = { record: emptyOrderRecord, version: 0 };
  await orders.write("one", new Map(["1", "2", "3"].map((id) => [id, record])));
  await orders.write("two", new Map([["4", record]]));
  const dueAt = new Date(nowMs);
  await storefronts.insertMany([
    { _id: "one", dueAt },
    { _id: "two", dueAt },
  ]);
  const left: number[] = [];
  const deaths = await workUntilDone(
    { order: "2" },
    async () => void left.push((await dueOf("one")) + (await dueOf("two"))),
  );
  expect(deaths).toBe(7);
  // One replica works for the other store, one dies of all orders together, and two work on one order after the other.
  expect(left.slice(3)).toEqual(left.slice(3).map((count) => Math.min(count, 1)));
  const failed = await storefrontOrders.find({ failure: { $exists: true } }).toArray();
  expect(failed).toMatchObject([{ _id: storefrontKey("one", "2"), failure: { code: "internal_error" }, attempts: 6 }]);
  expect(await dueOf("one")).toBe(0);
});

test("a message that kills each worker fails, too", async () => {
  const { inbox } = startReplica({});
  const messageOf = (id: string): StorefrontMessage => ({
    id,
    topic: "products/update",
    triggeredAtMs: nowMs,
    content: { kind: "product", product: { id, tags: [], updatedAtMs: nowMs } },
  });
  for (const id of ["1", "2", "3"]) await inbox.add("three", messageOf(id), "waiting");
  expect(await workUntilDone({ message: "2" }, async () => undefined)).toBe(7);
  const stored = await storefrontMessages.find({ store: "three" }).sort({ _id: 1 }).toArray();
  expect(stored.map(({ failure, dueAt }) => [failure?.code, dueAt])).toEqual([
    [undefined, undefined],
    ["internal_error", undefined],
    [undefined, undefined],
  ]);
});
