import { setImmediate } from "node:timers/promises";
import { pino } from "pino";
import { expect, test, vi } from "vitest";
import { ServiceError } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";
import { type Clock, systemClock } from "#shared/time/clock.ts";
import { compoundKey } from "../../services/registry/mongo/documents/compound-key.ts";
import { upsertStorefront, wakeUpdate } from "../../services/registry/mongo/due-work/due-orders.ts";
import { MongoWorkQueue } from "../../services/registry/mongo/storefront/mongo-work-queue.ts";
import type { StorefrontMessage } from "../../services/registry/storefront/message.ts";
import { emptyOrderRecord } from "../../services/registry/storefront/order-record.ts";
import type { Attempts } from "../../services/registry/storefront/storefront-storage.ts";
import { createStorefrontWorker } from "../../services/registry/storefront/storefront-worker.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import type { EventStream } from "../simulation/event-stream.ts";
import { createRegistry } from "../simulation/simulated-registry.ts";
import { createSimulatedStore } from "../simulation/simulated-store.ts";

const database = await openTestDatabase();
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

const productMessage = (id: string): StorefrontMessage => ({
  id,
  topic: "products/update",
  triggeredAtMs: nowMs,
  content: { kind: "product", product: { id, tags: [], updatedAtMs: nowMs, imageUrl: "" } },
});

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
  expect(failed).toMatchObject([{ _id: compoundKey("one", "2"), failure: { code: "internal_error" }, attempts: 6 }]);
  expect(await dueOf("one")).toBe(0);
});

test("an order that kills each worker fails although it changes after each death, and again after each change; a person's retry lets it try", async () => {
  const replica = startReplica({});
  const report = async () => {
    const { record, version } = (await replica.orders.read("nine", ["1"])).get("1") ?? {
      record: emptyOrderRecord,
      version: 0,
    };
    await replica.orders.write("nine", new Map([["1", { record, version }]]));
    await upsertStorefront(storefronts, "nine", wakeUpdate(new Date(nowMs)));
  };
  await report();
  let reports = 0;
  const reportSometimes = async () => {
    reports += 1;
    if (reports <= 20) await report();
  };
  expect(await workUntilDone({ order: "1" }, reportSometimes)).toBe(7);
  const stored = () => storefrontOrders.findOne({ _id: compoundKey("nine", "1") });
  expect(await stored()).toMatchObject({ failure: { code: "internal_error" }, attempts: 6 });

  await replica.storefronts.retryFailed("nine", "test", () => undefined);
  expect(await stored()).toMatchObject({ attempts: 0, dueAt: expect.any(Date) });
  expect(await workUntilDone({}, async () => undefined)).toBe(0);
  expect(await dueOf("nine")).toBe(0);
});

test("an order that a worker survives has no deaths left, although the order has changed meanwhile", async () => {
  const replica = startReplica({});
  await replica.orders.write("ten", new Map([["1", { record: emptyOrderRecord, version: 0 }]]));
  const key = { _id: compoundKey("ten", "1") };
  const [order] = await replica.orders.takeDue("ten", 1);
  if (order === undefined) throw new Error("no order is due");
  for (let deaths = 0; deaths < 5; deaths += 1)
    await replica.orders.begin("ten", order, `worker ${deaths}`, new Date(nowMs));
  const { certificatesOf } = replica.orders;
  vi.spyOn(replica.orders, "certificatesOf").mockImplementationOnce(async (...args) => {
    const { record, version } = order;
    await replica.orders.write("ten", new Map([["1", { record, version }]]));
    expect(await storefrontOrders.findOne(key)).toMatchObject({ version: 2, attempts: 6 });
    return certificatesOf.apply(replica.orders, args);
  });
  await replica.work("ten");
  expect(await storefrontOrders.findOne(key)).toMatchObject({ version: 2, attempts: 0, dueAt: expect.any(Date) });
  while (await replica.work("ten"));
  expect(await dueOf("ten")).toBe(0);
});

test("settling an order resets its deaths together with its attempts", async () => {
  const { orders } = startReplica({});
  await orders.write("eleven", new Map([["1", { record: emptyOrderRecord, version: 0 }]]));
  const key = { _id: compoundKey("eleven", "1") };
  const [order] = await orders.takeDue("eleven", 1);
  if (order === undefined) throw new Error("no order is due");
  for (let deaths = 0; deaths < 6; deaths += 1)
    await orders.begin("eleven", order, `worker ${deaths}`, new Date(nowMs));
  await orders.settle("eleven", [{ order, outcome: { notes: [], waitsFor: [] } }]);
  await orders.write("eleven", new Map([["1", { record: order.record, version: order.version }]]));
  expect(await storefrontOrders.findOne(key)).toMatchObject({ attempts: 0, dueAt: expect.any(Date) });
});

test("a message that kills each worker fails, too", async () => {
  const { inbox } = startReplica({});
  for (const id of ["1", "2", "3"]) await inbox.add("three", productMessage(id), "waiting");
  expect(await workUntilDone({ message: "2" }, async () => undefined)).toBe(7);
  const stored = await storefrontMessages.find({ store: "three" }).sort({ _id: 1 }).toArray();
  expect(stored.map(({ failure, dueAt }) => [failure?.code, dueAt])).toEqual([
    [undefined, undefined],
    ["internal_error", undefined],
    [undefined, undefined],
  ]);
});

test("two workers that live, and both meet an outage, leave no attempt counted", async () => {
  const { orders } = startReplica({});
  await orders.write("four", new Map([["1", { record: emptyOrderRecord, version: 0 }]]));
  const begun = [0, 1].map(() => {
    const replica = startReplica({});
    const outage = Promise.withResolvers<never>();
    // The attempt is counted before the worker asks for the certificates, so the outage can come before.
    outage.promise.catch(() => undefined);
    vi.spyOn(replica.orders, "certificatesOf").mockReturnValueOnce(outage.promise);
    return { replica, end: () => outage.reject(new ServiceError("unavailable", "out")) };
  });
  const stored = () => storefrontOrders.findOne({ _id: compoundKey("four", "1") });
  const works: Promise<boolean>[] = [];
  for (const { replica } of begun) {
    works.push(replica.work("four", true));
    await expect.poll(async () => (await stored())?.attempts).toBe(works.length);
  }
  for (const [index, { end }] of begun.entries()) {
    end();
    await works[index];
  }
  expect(await stored()).toMatchObject({ attempts: 0 });
});

test("a suspect message that meets an outage stays due at once, before the store's orders", async () => {
  const replica = startReplica({});
  await replica.inbox.add("seven", productMessage("1"), "waiting");
  const key = { _id: compoundKey("seven", "1") };
  const before = await storefrontMessages.findOne(key);
  vi.spyOn(replica.products, "put").mockRejectedValueOnce(new ServiceError("unavailable", "out"));
  await expect(replica.work("seven", true)).rejects.toThrow("out");
  expect(await storefrontMessages.findOne(key)).toMatchObject({ attempts: 0, dueAt: before?.dueAt });
});

const lost = new ServiceError("unavailable", "lost");

/** Returns a function that makes a call, and then throws as if the reply had been lost. */
function losingReply<Args extends readonly unknown[]>(call: (...args: Args) => Promise<boolean>) {
  return async (...args: Args): Promise<boolean> => {
    await call(...args);
    throw lost;
  };
}

/** Makes an order or a message due that some workers have not survived. */
const dueWork = {
  order: async (storeId: string, counts: Attempts) => {
    const replica = startReplica({});
    await replica.orders.write(storeId, new Map([["1", { record: emptyOrderRecord, version: 0 }]]));
    const key = { _id: compoundKey(storeId, "1") };
    await storefrontOrders.updateOne(key, { $set: counts });
    const work = vi.spyOn(replica.orders, "certificatesOf");
    const begin = vi.spyOn(replica.orders, "begin");
    const loseBegun = () =>
      begin.mockImplementationOnce(losingReply((...args) => startReplica({}).orders.begin(...args)));
    return { replica, work, part: replica.orders, loseBegun, stored: () => storefrontOrders.findOne(key) };
  },
  message: async (storeId: string, counts: Attempts) => {
    const replica = startReplica({});
    await replica.inbox.add(storeId, productMessage("1"), "waiting");
    const key = { _id: compoundKey(storeId, "1") };
    await storefrontMessages.updateOne(key, { $set: counts });
    const work = vi.spyOn(replica.products, "put");
    const begin = vi.spyOn(replica.inbox, "begin");
    const loseBegun = () =>
      begin.mockImplementationOnce(losingReply((...args) => startReplica({}).inbox.begin(...args)));
    return { replica, work, part: replica.inbox, loseBegun, stored: () => storefrontMessages.findOne(key) };
  },
};
const kinds = ["order", "message"] as const;

test.each(kinds)("deaths before an attempt that a worker survives do not make its error the last: %s", async (kind) => {
  for (const deaths of [5, 2]) {
    const storeId = `survived-${kind}-${deaths}`;
    const { replica, work, stored } = await dueWork[kind](storeId, { attempts: 5, deaths });
    work.mockRejectedValueOnce(new Error("broken"));
    await replica.work(storeId);
    const found = await stored();
    expect(found).toMatchObject({ attempts: 5 - deaths + 1, dueAt: expect.any(Date) });
    expect([found?.failure, found?.deaths]).toEqual([undefined, undefined]);
  }
});

test.each(kinds)("the death of one worker after five errors that workers survived is not final: %s", async (kind) => {
  const storeId = `one-death-${kind}`;
  const { replica, stored } = await dueWork[kind](storeId, { attempts: 6, deaths: 1 });
  await replica.work(storeId);
  const found = await stored();
  expect([found?.attempts, found?.dueAt, found?.failure]).toEqual([0, undefined, undefined]);
});

test.each(kinds)("attempts of a worker that does not learn that they were counted are one death: %s", async (kind) => {
  const storeId = `lost-replies-${kind}`;
  const { replica, loseBegun, stored } = await dueWork[kind](storeId, { attempts: 2, deaths: 1 });
  for (let count = 0; count < 7; count += 1) {
    loseBegun();
    await expect(replica.work(storeId, true)).rejects.toBe(lost);
  }
  expect(await stored()).toMatchObject({ attempts: 3, deaths: 2, dueAt: expect.any(Date) });
  await replica.work(storeId, true);
  const found = await stored();
  expect([found?.attempts, found?.dueAt, found?.deaths, found?.begunBy]).toEqual([0, undefined, undefined, undefined]);
});

test.each(kinds)("an outage that outlasts the work does not count as the death of its worker: %s", async (kind) => {
  const { replica, work, part, stored } = await dueWork[kind](`outage-${kind}`, { attempts: 5, deaths: 5 });
  const outage = new ServiceError("unavailable", "out");
  work.mockRejectedValueOnce(outage);
  vi.spyOn(part, "noteSurvived").mockRejectedValueOnce(outage).mockRejectedValueOnce(outage);
  const result = await replica.work(`outage-${kind}`, true).catch((error: unknown) => error);
  expect(result).toBe(kind === "order" ? true : outage);
  const found = await stored();
  expect(found).toMatchObject({ attempts: 0, dueAt: expect.any(Date) });
  expect(found?.deaths).toBe(undefined);
});

test("a worker that stops during an outage does not wait until it can note that it has survived", async () => {
  const { replica, stored } = await dueWork.order("stopping", { attempts: 1, deaths: 1 });
  const outage = new ServiceError("unavailable", "out");
  vi.spyOn(replica.orders, "certificatesOf").mockRejectedValue(outage);
  const { noteSurvived } = replica.orders;
  vi.spyOn(replica.orders, "noteSurvived").mockImplementation(async (storeId, orderId) => {
    if (storeId === "stopping") throw outage;
    await noteSurvived.call(replica.orders, storeId, orderId);
  });
  await upsertStorefront(storefronts, "stopping", wakeUpdate(new Date(nowMs)));
  const pausing = Promise.withResolvers<void>();
  const untilAborted: Clock["sleep"] = async (_, signal) => {
    const aborted = Promise.withResolvers<void>();
    signal?.addEventListener("abort", () => aborted.resolve());
    pausing.resolve();
    await aborted.promise;
  };
  const worker = createStorefrontWorker({
    ...replica,
    work: queue,
    clock: { ...clock, sleep: untilAborted },
    steadyClock: systemClock,
    logger: pino({ level: "silent" }),
    recordErasure: async () => undefined,
    onReconciled: () => undefined,
    onFailed: () => undefined,
  });
  worker.start();
  await pausing.promise;
  await worker.stop();
  expect(await stored()).toMatchObject({ dueAt: expect.any(Date) });
});

test("an outage that lasts does not hold up the other suspects of its replica for ever", async () => {
  const databaseClock = { ...clock, sleep: () => setImmediate() };
  const { orders, work } = createRegistry(database, { clock, databaseClock });
  for (const storeId of ["lasting", "other"])
    await orders.write(storeId, new Map([["1", { record: emptyOrderRecord, version: 0 }]]));
  const outage = new ServiceError("unavailable", "out");
  let other: Promise<boolean> | undefined;
  vi.spyOn(orders, "certificatesOf").mockImplementationOnce(async () => {
    other = work("other", true);
    throw outage;
  });
  const { noteSurvived } = orders;
  vi.spyOn(orders, "noteSurvived").mockImplementation(async (storeId, orderId) => {
    if (storeId === "lasting") throw outage;
    await noteSurvived.call(orders, storeId, orderId);
  });
  await expect(work("lasting", true)).rejects.toBe(outage);
  expect(await other).toBe(true);
  expect(await dueOf("other")).toBe(0);
});

const erasure: StorefrontMessage = {
  id: "redact",
  topic: "customers/redact",
  triggeredAtMs: nowMs,
  content: { kind: "customer_erasure", email: "ada@example.test", customerId: "", orderIds: [] },
};

test("an erasure that a worker survives has no attempts left of the workers that died before, although it is not done", async () => {
  // Messages about the person are being sent.
  const stream: EventStream = {
    publish: async () => undefined,
    messagesOf: async () => [],
    deleteMessages: async () => ({ count: 0, waitingCount: 1, next: undefined }),
  };
  const { inbox, work } = createRegistry({ ...database, stream }, { clock, databaseClock: clock });
  const storeId = await createSimulatedStore(database, "five.example.test");
  const key = { _id: compoundKey(storeId, erasure.id) };
  await inbox.add(storeId, erasure, "waiting");
  const erasing = ["ada@example.test"];
  await storefrontMessages.updateOne(key, { $set: { attempts: 5, erasing } });
  await work(storeId, true);
  expect(await storefrontMessages.findOne(key)).toMatchObject({ attempts: 0, dueAt: expect.any(Date) });
});

test("a suspect order that changes while it waits for its turn is not processed without a count of the attempt", async () => {
  const storeId = await createSimulatedStore(database, "changed.example.test");
  const { orders, work } = createRegistry(database, { clock, databaseClock: clock });
  await orders.write(storeId, new Map([["1", { record: emptyOrderRecord, version: 0 }]]));
  const { begin } = orders;
  vi.spyOn(orders, "begin").mockImplementationOnce(async (...args) => {
    await storefrontOrders.updateOne({ _id: compoundKey(storeId, "1") }, { $inc: { version: 1 } });
    return begin.apply(orders, args);
  });
  const certificatesOf = vi.spyOn(orders, "certificatesOf");
  expect(await work(storeId, true)).toBe(true);
  expect(certificatesOf).not.toHaveBeenCalled();
  while (await work(storeId, true));
  expect(await dueOf(storeId)).toBe(0);
});

test("a message that was set aside, and that a slow worker then completes, is done, and does not hold up the others", async () => {
  const { inbox, storefronts: settings, work } = startReplica({});
  await inbox.add("six", productMessage("1"), "waiting");
  const [taken] = await inbox.takeDue("six", "orders", 1);
  if (taken === undefined) throw new Error("no message is due");
  await inbox.record("six", "1", { added: 6, retryAt: undefined, failure: reason("internal_error") });
  await inbox.settle("six", [taken]);
  expect(await storefrontMessages.findOne({ _id: compoundKey("six", "1") })).toMatchObject({ attempts: 0 });
  expect(await settings.retryFailed("six", "test", () => undefined)).toBe(0);

  // One that cannot be read all the same fails on its own.
  await inbox.add("six", productMessage("2"), "waiting");
  await storefrontMessages.updateOne({ _id: compoundKey("six", "2") }, { $set: { content: "{" } });
  await inbox.add("six", productMessage("3"), "waiting");
  await work("six");
  const left = await storefrontMessages.find({ store: "six", dueAt: { $exists: true } }).toArray();
  expect(left).toMatchObject([{ _id: compoundKey("six", "2"), attempts: 1 }]);
});

test("messages of a batch that fails, which no worker has died of, do not wait for a suspect of another store", async () => {
  const [suspect = "", failing = ""] = await Promise.all(
    ["d", "e"].map((name) => createSimulatedStore(database, `${name}.example.test`)),
  );
  const { inbox, orders, work } = createRegistry(database, { clock, databaseClock: clock });
  await inbox.add(suspect, erasure, "waiting");
  await storefrontMessages.updateOne({ _id: compoundKey(suspect, erasure.id) }, { $set: { erasing: [] } });
  const product = { id: "1", tags: [], updatedAtMs: nowMs, imageUrl: "" };
  const fields = { topic: "products/update", triggeredAtMs: nowMs, content: { kind: "product", product } } as const;
  for (const id of ["1", "2"]) await inbox.add(failing, { id, ...fields }, "waiting");
  await storefrontMessages.updateOne({ _id: compoundKey(failing, "2") }, { $set: { content: "{" } });
  const released = Promise.withResolvers<void>();
  const { ofCustomer } = orders;
  vi.spyOn(orders, "ofCustomer").mockImplementation(async (storeId, customer) => {
    await released.promise;
    return ofCustomer.call(orders, storeId, customer);
  });
  const suspectWork = work(suspect, true);
  const stored = (storeId: string, id: string) => storefrontMessages.findOne({ _id: compoundKey(storeId, id) });
  await expect.poll(async () => (await stored(suspect, erasure.id))?.attempts).toBe(1);
  await work(failing);
  expect(await stored(failing, "1")).toMatchObject({ content: "", attempts: 0 });
  expect(await stored(failing, "2")).toMatchObject({ attempts: 1, dueAt: expect.any(Date) });
  released.resolve();
  await suspectWork;
});

test("an erasure that no worker has died of does not wait for a suspect of another store, and one that waits is not yet counted", async () => {
  const stores = await Promise.all(
    ["a", "b", "c"].map((name) => createSimulatedStore(database, `${name}.example.test`)),
  );
  const [first = "", second = "", third = ""] = stores;
  const { inbox, orders, work } = createRegistry(database, { clock, databaseClock: clock });
  for (const storeId of stores) {
    await inbox.add(storeId, erasure, "waiting");
    await storefrontMessages.updateOne({ _id: compoundKey(storeId, erasure.id) }, { $set: { erasing: [] } });
  }
  const stored = (storeId: string) => storefrontMessages.findOne({ _id: compoundKey(storeId, erasure.id) });
  const released = Promise.withResolvers<void>();
  const { ofCustomer } = orders;
  vi.spyOn(orders, "ofCustomer").mockImplementation(async (storeId, customer) => {
    if (storeId === first) await released.promise;
    return ofCustomer.call(orders, storeId, customer);
  });
  const suspects = [work(first, true)];
  await expect.poll(async () => (await stored(first))?.attempts).toBe(1);
  suspects.push(work(third, true));
  await work(second);
  expect(await stored(second)).toMatchObject({ content: "" });
  expect(await stored(third)).toMatchObject({ attempts: 0, dueAt: expect.any(Date) });
  released.resolve();
  await Promise.all(suspects);
  for (const storeId of [first, third]) expect(await stored(storeId)).toMatchObject({ attempts: 0, content: "" });
});
