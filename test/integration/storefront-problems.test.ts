import { expect, test, vi } from "vitest";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { type Reason, reason } from "#shared/reasons/reason.ts";
import { systemClock } from "#shared/time/clock.ts";
import { MongoStorefronts } from "../../services/registry/mongo/storefront/mongo-storefronts.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { pagesOf } from "../harness/pages-of.ts";
import { refusalOf } from "../harness/refusal-of.ts";
import { storeHistoryOf } from "../harness/store-history-of.ts";
import { newOrderId, orderPayload } from "../harness/storefront/order-payload.ts";
import { openStorefrontRig, type TestShop } from "./storefront-rig.ts";

// How far the database's clock is ahead of real time. Tests advance it instead of waiting for retries. It is ahead also
// after it has stood still: a clock that is behind the times of leases seems to have been set back.
let aheadMs = 3_600_000;
let heldAt: number | undefined;
const clock = { ...systemClock, now: () => heldAt ?? systemClock.now() + aheadMs };

/** Runs `during` while the database's clock stands still, so that no attempt follows until `during` advances it. */
async function withClockHeld<T>(during: (advanceTo: (time: Date) => void) => Promise<T>): Promise<T> {
  heldAt = clock.now();
  try {
    return await during((time) => {
      heldAt = Math.max(clock.now(), time.getTime());
    });
  } finally {
    aheadMs = clock.now() - systemClock.now();
    heldAt = undefined;
  }
}
const { lines, onLogLine } = captureLog();
const { registry, openShop } = await openStorefrontRig({
  onLogLine,
  overrides: { databaseClock: clock, storefrontProducts: { countMax: 2, clock } },
});
const { storefronts, storefrontMessages, storefrontOrders, storefrontProducts } = registry.database.collections;
const internalError = reason("internal_error");

const noBuyer = { customer: null, email: null, contact_email: null, billing_address: null };

async function problemsOf(storeId: string, limit: number) {
  const pages: string[][] = [];
  const read = (pageToken: string) =>
    registry.storefront.listStorefrontProblems({ limit, pageToken }, inStore(storeId));
  for await (const { problems } of pagesOf(read))
    pages.push(problems.map(({ topic, orderName, id }) => (topic === "" ? orderName : id)));
  return pages;
}

test("more failed messages than one transaction changes are all retried on request", async () => {
  const { storeId, settled } = await openShop();
  const content = JSON.stringify({ kind: "refund", orderId: "1", refund: { id: "1", units: [] } });
  const at = new Date(clock.now());
  const failed = Array.from({ length: 201 }, (_, index) => ({
    _id: `${storeId}/m${index}`,
    store: storeId,
    kind: "refund" as const,
    topic: "refunds/create",
    triggeredAt: at,
    receivedAt: at,
    attempts: 6,
    content,
    failure: internalError,
  }));
  await storefrontMessages.insertMany(failed);
  expect(await registry.storefront.retryStorefront({}, inStore(storeId))).toMatchObject({ retriedCount: 201 });
  await settled();
  expect(await storefrontMessages.countDocuments({ store: storeId, content: "" })).toBe(201);
  const retries = async () => {
    const { entries } = await registry.inspection.listStoreHistory({}, inStore(storeId));
    return entries.filter(({ action }) => action === "storefront.retried").map(({ details }) => details["count"]);
  };
  expect(await retries()).toEqual(["201"]);

  // A registry whose process dies after the first transaction, with which it has written the entry.
  await storefrontMessages.deleteMany({ store: storeId });
  await storefrontMessages.insertMany(failed);
  const history = storeHistoryOf(registry.database);
  const { transact } = history;
  vi.spyOn(history, "transact")
    .mockReturnValue(new Promise<never>(() => undefined))
    .mockImplementationOnce((work) => transact.call(history, work));
  const dying = new MongoStorefronts(registry.database.collections, history, clock);
  void dying.retryFailed(storeId, "test", () => undefined);
  await eventually(async () => expect(await retries()).toEqual(["201", "201"]));
});

test("failed messages do not hide orders with problems: both are listed, newest first, page by page", async () => {
  const { report, send, storeId } = await openShop();
  const unreadable = (webhookId: string) => send("orders/paid", { id: "x" }, { webhookId });
  await unreadable("m1");
  await report("orders/paid", orderPayload({ name: "#1", ...noBuyer }));
  for (const id of ["m2", "m3", "m4"]) await unreadable(id);
  await report("orders/paid", orderPayload({ name: "#2", ...noBuyer }));
  await unreadable("m5");
  expect(await problemsOf(storeId, 3)).toEqual([["m5", "#2", "m4"], ["m3", "m2", "#1"], ["m1"]]);
  // Even with equal times, no problem may be lost between two pages or between messages and orders.
  const at = new Date();
  await storefrontMessages.updateMany({ store: storeId }, { $set: { receivedAt: at } });
  await storefrontOrders.updateMany({ store: storeId }, { $set: { changedAt: at } });
  for (const limit of [1, 2, 3, 7])
    expect((await problemsOf(storeId, limit)).flat().sort()).toEqual(["#1", "#2", "m1", "m2", "m3", "m4", "m5"]);
  const withToken = (pageToken: string) => registry.storefront.listStorefrontProblems({ pageToken }, inStore(storeId));
  expect(await refusalOf(withToken("x"))).toMatchObject({ code: "bad_request" });
});

type Read = () => Promise<{ attempts: number; dueAt?: Date; failure?: Reason } | null>;

/** Waits until this many attempts have failed. */
async function afterAttempt(attempts: number, read: Read) {
  return eventually(async () => {
    const one = await read();
    expect(one?.attempts).toBe(attempts);
    // An attempt is counted before it begins; until it has failed, the work stays due.
    if (one?.dueAt !== undefined) expect(one.dueAt.getTime()).toBeGreaterThan(clock.now());
    return { dueAt: one?.dueAt, failure: one?.failure };
  });
}

/**
 * Advances the clock from attempt to attempt until failing work is given up.
 *
 * @returns the pauses between the attempts, in milliseconds, and the failure
 */
async function followAttempts(read: Read) {
  const pauses: number[] = [];
  return withClockHeld(async (advanceTo) => {
    for (let attempts = 1; ; attempts += 1) {
      const { dueAt, failure } = await afterAttempt(attempts, read);
      if (dueAt === undefined) return { pauses, failure };
      pauses.push(dueAt.getTime() - clock.now());
      advanceTo(dueAt);
    }
  });
}

// The backoff starts at 1 s, doubles, and is reduced by at most a quarter.
const doubling = [1, 2, 4, 8, 16].map((seconds) => ({ min: seconds * 750, max: seconds * 1_000 }));

function expectDoubling(pauses: readonly number[]): void {
  expect(pauses).toHaveLength(doubling.length);
  for (const [index, { min, max }] of doubling.entries()) {
    expect(pauses[index]).toBeGreaterThanOrEqual(min);
    expect(pauses[index]).toBeLessThanOrEqual(max);
  }
}

const wake = (storeId: string) => storefronts.updateOne({ _id: storeId }, { $set: { dueAt: new Date(0) } });

async function stateOf({ storeId }: TestShop) {
  const { waitingCount, failedCount } = await registry.storefront.getStorefront({}, inStore(storeId));
  const { problems } = await registry.storefront.listStorefrontProblems({}, inStore(storeId));
  return {
    waitingCount,
    failedCount,
    problems: problems.map((one) => [one.hasFailed, ...one.problems.map(({ code, params }) => ({ code, params }))]),
  };
}

test("a failing message is retried with backoff, then quarantined, and retried again on request; the log names its store", async () => {
  const shop = await openShop();
  const { report, storeId, settled, certificatesOf } = shop;
  const [id, other] = [newOrderId(), newOrderId()];
  await report("orders/paid", orderPayload({ id }), { webhookId: "m1" });
  const key = `${storeId}/m2`;
  const fields = { store: storeId, kind: "order", topic: "orders/updated", triggeredAt: new Date() } as const;
  // A message as another version might have stored it: this version cannot read the content.
  const unknownForm = {
    ...fields,
    receivedAt: new Date(clock.now()),
    dueAt: new Date(0),
    attempts: 0,
    content: '{"kind":"order"}',
  };
  await storefrontMessages.insertOne({ _id: key, ...unknownForm });
  await wake(storeId);
  const read = () => storefrontMessages.findOne({ _id: key });
  const { pauses, failure } = await followAttempts(read);
  expectDoubling(pauses);
  expect(failure).toEqual(internalError);
  expect(await stateOf(shop)).toEqual({ waitingCount: 0, failedCount: 1, problems: [[true, internalError]] });
  const isFailure = (line: (typeof lines)[number]) => line.msg === "storefront work failed" && line.storeId === storeId;
  expect(lines.filter(isFailure)).toHaveLength(6);

  // Other messages of the store are not held up.
  await report("orders/paid", orderPayload({ id: other }));
  expect(await certificatesOf(other)).toHaveLength(1);

  const content = JSON.stringify({ kind: "refund", orderId: String(id), refund: { id: "1", units: [] } });
  await withClockHeld(async () => {
    expect(await registry.storefront.retryStorefront({}, inStore(storeId))).toMatchObject({ retriedCount: 1 });
    await afterAttempt(1, read);
    await storefrontMessages.updateOne({ _id: key }, { $set: { content } });
  });
  aheadMs += 10_000;
  await settled();
  expect(await stateOf(shop)).toEqual({ waitingCount: 0, failedCount: 0, problems: [] });
});

test("a message about one product too many fails with the limit as the reason, and succeeds on request once there is room", async () => {
  const shop = await openShop();
  const { storeId, send, settled } = shop;
  const product = (id: number) => ({ id, tags: "", updated_at: "2030-01-31T10:00:00-05:00" });
  for (const id of [1, 2]) await send("products/update", product(id));
  await settled();
  await send("products/update", product(3), { webhookId: "third" });
  const { failure } = await followAttempts(() => storefrontMessages.findOne({ _id: `${storeId}/third` }));
  const limit = reason("too_many_products", { count: 2 });
  expect(failure).toEqual(limit);
  expect(await stateOf(shop)).toEqual({ waitingCount: 0, failedCount: 1, problems: [[true, limit]] });

  await storefrontProducts.deleteOne({ _id: `${storeId}/1` });
  // The registry counts a store's products at most once a minute.
  aheadMs += 61_000;
  expect(await registry.storefront.retryStorefront({}, inStore(storeId))).toMatchObject({ retriedCount: 1 });
  await settled();
  expect(await stateOf(shop)).toEqual({ waitingCount: 0, failedCount: 0, problems: [] });
  expect(await storefrontProducts.countDocuments({ _id: `${storeId}/3` })).toBe(1);
});

test("a failing order is retried with backoff, then listed as failed, and retried again on request", async () => {
  const shop = await openShop([]);
  const { report, storeId, settled, certificatesOf } = shop;
  const id = newOrderId();
  await report("orders/paid", orderPayload({ id }));
  const key = { _id: `${storeId}/${id}` };
  const record = (await storefrontOrders.findOne(key))?.record ?? "";
  await storefrontOrders.updateOne(key, { $set: { record: "{}", dueAt: new Date(0) } });
  await wake(storeId);
  const { pauses, failure } = await followAttempts(() => storefrontOrders.findOne(key));
  expectDoubling(pauses);
  expect(failure).toEqual(internalError);
  expect(await stateOf(shop)).toEqual({ waitingCount: 0, failedCount: 1, problems: [[true, internalError]] });

  await storefrontOrders.updateOne(key, { $set: { record } });
  expect(await registry.storefront.retryStorefront({}, inStore(storeId))).toMatchObject({ retriedCount: 1 });
  await settled();
  expect(await stateOf(shop)).toEqual({ waitingCount: 0, failedCount: 0, problems: [] });
  expect(await certificatesOf(id)).toEqual([]);
});
