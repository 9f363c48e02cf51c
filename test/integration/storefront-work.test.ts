import { beforeEach, describe, expect, test } from "vitest";
import { reason } from "#shared/reasons/reason.ts";
import { systemClock } from "#shared/time/clock.ts";
import { upsertStorefront, wakeUpdate } from "../../services/registry/mongo/due-work/due-orders.ts";
import { leaseSlackMs } from "../../services/registry/mongo/leases/mongo-leases.ts";
import { MongoStorefrontInbox } from "../../services/registry/mongo/storefront/mongo-storefront-inbox.ts";
import { MongoStorefrontOrders } from "../../services/registry/mongo/storefront/mongo-storefront-orders.ts";
import { MongoStorefronts } from "../../services/registry/mongo/storefront/mongo-storefronts.ts";
import { MongoWorkQueue } from "../../services/registry/mongo/storefront/mongo-work-queue.ts";
import { emptyOrderRecord } from "../../services/registry/storefront/order-record.ts";
import { postponedMaxMs, workLeaseMs } from "../../services/registry/storefront/storefront-storage.ts";
import { storeHistoryOf } from "../harness/store-history-of.ts";
import { openTestDatabase } from "../harness/test-database.ts";

const database = await openTestDatabase();
const { collections } = database;
const { storefronts, storefrontOrders } = collections;

const startMs = Date.UTC(2026, 10, 23);
let seconds = 0;
const clock = { ...systemClock, now: () => startMs + seconds * 1_000 };
// The database's time as a date.
const databaseTime = () => new Date(clock.now());
const queue = new MongoWorkQueue(collections, clock, databaseTime);

beforeEach(async () => {
  seconds = 0;
  await storefronts.deleteMany({});
});

const makeDue = (storeId: string) =>
  storefronts.updateOne({ _id: storeId }, { $set: { dueAt: new Date(clock.now()) } }, { upsert: true });

async function claim() {
  const claimed = await queue.claim();
  if (claimed === undefined) throw new Error("no store has work");
  return claimed;
}

describe("the queue of stores with work", () => {
  test("measures the age of work from its first message, even after a worker has abandoned the work", async () => {
    await makeDue("one");
    await claim();
    seconds = 3;
    await makeDue("one");
    seconds = 20;
    await claim();
    expect(await queue.oldestAt()).toEqual(new Date(startMs));
  });
});

describe("work that was due before the database's clock was set back", () => {
  const hourMs = 3_600_000;

  test("is claimed at once, and its messages and orders are taken", async () => {
    const inbox = new MongoStorefrontInbox(collections, clock, databaseTime);
    const orders = new MongoStorefrontOrders(collections, clock);
    seconds = hourMs / 1_000;
    const content = { kind: "unreadable", problem: reason("internal_error") } as const;
    await inbox.add("three", { id: "m", topic: "orders/paid", triggeredAtMs: 0, content }, "waiting");
    await orders.write("three", new Map([["1", { record: emptyOrderRecord, version: 0 }]]));
    seconds = 0;
    expect((await claim()).id).toBe("three");
    expect(await inbox.takeDue("three", "customers", 10)).toHaveLength(1);
    expect(await orders.takeDue("three", 10)).toHaveLength(1);
  });

  test("is not claimed early if it was postponed by no more than work may be", async () => {
    const orders = new MongoStorefrontOrders(collections, clock);
    await orders.write("two", new Map([["1", { record: emptyOrderRecord, version: 0 }]]));
    await storefrontOrders.updateMany({ store: "two" }, { $set: { dueAt: new Date(startMs + postponedMaxMs) } });
    await storefronts.insertOne({ _id: "two", dueAt: new Date(startMs + postponedMaxMs) });
    expect(await queue.claim()).toBeUndefined();
    expect(await orders.takeDue("two", 10)).toEqual([]);
    seconds = postponedMaxMs / 1_000;
    expect((await claim()).id).toBe("two");
    expect(await orders.takeDue("two", 10)).toHaveLength(1);
  });
});

describe("a lease, under clocks that are wrong", () => {
  test.each([30, 86_400])("ends within one lease after the database's clock is set back by %i s", async (setBack) => {
    seconds = setBack;
    await makeDue("one");
    await claim();
    seconds = 0;
    expect(await queue.claim()).toBeUndefined();
    const lastMs = workLeaseMs + leaseSlackMs;
    seconds = lastMs / 1_000 - 0.001;
    expect(await queue.claim()).toBeUndefined();
    seconds = lastMs / 1_000;
    expect((await claim()).id).toBe("one");
  });

  test("is not taken over by a replica whose clock is ahead", async () => {
    await makeDue("one");
    await claim();
    // Its last heartbeat was before the clock was set back.
    const ahead = { ...clock, now: () => clock.now() + workLeaseMs + 1_000 };
    expect(await new MongoWorkQueue(collections, ahead, databaseTime).claim()).toBeUndefined();
  });

  test("does not hide what a replica whose clock is ahead makes due meanwhile", async () => {
    await makeDue("one");
    const held = await claim();
    await upsertStorefront(storefronts, "one", wakeUpdate(new Date(clock.now() + workLeaseMs + 1_000)));
    expect(await queue.renew(held)).toBe(true);
    await queue.complete(held);
    seconds = workLeaseMs / 1_000;
    expect((await claim()).id).toBe("one");
  });
});

test("a change makes each order placed since a given time due once, those that have failed as well, however many workers do it", async () => {
  const workers = [0, 1, 2].map(() => new MongoStorefronts(collections, storeHistoryOf(database), clock));
  const [before, since] = [new Date(startMs - 1), new Date(startMs)];
  const count = 230;
  await storefrontOrders.insertMany(
    Array.from({ length: count + 1 }, (_, index) => ({
      _id: `one/${index}`,
      store: "one",
      name: "#1",
      customer: "",
      record: "{}",
      version: 3,
      changedAt: since,
      attempts: 6,
      notes: [],
      unmatchedProducts: [],
      failure: reason("internal_error"),
      orderedAt: index === count ? before : since,
    })),
  );
  await storefronts.insertOne({ _id: "one", touchSince: since, dueAt: since });
  const due = { dueAt: new Date(clock.now()), attempts: 0, version: 4, failure: { $exists: false } };
  const isLeft = async () => (await workers[0]?.find("one"))?.hasTouchLeft;
  for (let touched = 0; await isLeft(); ) {
    await Promise.all(workers.map((worker) => worker.touchOrders("one", 50)));
    const dueCount = await storefrontOrders.countDocuments(due);
    expect(dueCount).toBeGreaterThan(touched);
    touched = dueCount;
  }
  expect(await storefrontOrders.countDocuments(due)).toBe(count);
  expect(await storefrontOrders.findOne({ _id: `one/${count}` })).toMatchObject({
    version: 3,
    failure: reason("internal_error"),
  });
});
