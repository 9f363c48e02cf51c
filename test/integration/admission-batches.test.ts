import { randomBytes } from "node:crypto";
import { MongoNetworkError } from "mongodb";
import { expect, test } from "vitest";
import { MongoAdmissions } from "../../services/registry/mongo/admissions/mongo-admissions.ts";
import { type Collections, collectionsOf } from "../../services/registry/mongo/documents/collections.ts";
import { insertAccess } from "../harness/access-of-store.ts";
import { admissionTimesOf } from "../harness/admitted-requests.ts";
import { openWatchedClient } from "../harness/sent-commands.ts";
import { openTestDatabase } from "../harness/test-database.ts";

const database = await openTestDatabase();
const { access } = database.collections;
const policy = { limit: 3, windowMs: 60_000 };
const refusedKeys = { note: () => undefined, has: () => false };
// On a busy machine, a batch with the default limit is abandoned, and each request decided alone.
const createAdmissions = (collection = access, batchLimitMs = 60_000) =>
  new MongoAdmissions(collection, policy, { refusedKeys, batchLimitMs });

/** Creates stores with one key each. */
const createStores = (count: number) => Promise.all(Array.from({ length: count }, () => insertAccess({ access })));
type Store = Awaited<ReturnType<typeof createStores>>[number];

const keyOf = ({ hashes }: Store, index = 0) => hashes[index] ?? Buffer.alloc(0);
const timesIn = async ({ storeId }: Store) =>
  admissionTimesOf((await access.findOne({ _id: storeId }))?.admitted).length;
const admitted = (remaining: number) => ({ admission: "admitted", rateLimit: { remaining } });

test("uses one update and one read to admit waiting requests with different keys", async () => {
  const { client, commands } = await openWatchedClient(database.uri);
  const admissions = createAdmissions(collectionsOf(client.db()).access);
  const stores = await createStores(8);
  const decisions = await Promise.all(stores.map((store) => admissions.admit(keyOf(store))));
  expect(commands).toEqual(["update", "find"]);
  expect(decisions).toMatchObject(stores.map(({ storeId }) => ({ storeId, ...admitted(2) })));
  expect(await Promise.all(stores.map(timesIn))).toEqual(stores.map(() => 1));
});

test("admits or refuses each request of a batch according to its key and its store's plan and window", async () => {
  const admissions = createAdmissions();
  const [free, full, basic, revoked] = (await createStores(4)) as [Store, Store, Store, Store];
  for (let place = 0; place < policy.limit; place++) await admissions.admit(keyOf(full));
  await access.updateOne({ _id: basic.storeId }, { $set: { plan: "basic" } });
  await access.updateOne({ _id: revoked.storeId }, { $set: { "keys.0.validUntil": new Date(1) } });
  const keys = [keyOf(free), keyOf(full), keyOf(basic), keyOf(revoked), randomBytes(32), keyOf(free)];
  expect(await Promise.all(keys.map((key) => admissions.admit(key)))).toMatchObject([
    admitted(2),
    { admission: "rate_limited", rateLimit: { remaining: 0 } },
    { admission: "plan_required" },
    { admission: "unknown_key" },
    { admission: "unknown_key" },
    admitted(1),
  ]);
  expect(await Promise.all([free, full, basic, revoked].map(timesIn))).toEqual([2, 3, 0, 0]);
});

test("admits no more requests than a store's limit if a batch contains several of the store's keys", async () => {
  const admissions = createAdmissions();
  const store = await insertAccess({ access }, 5);
  const decisions = await Promise.all(store.hashes.map((key) => admissions.admit(key)));
  expect(decisions.filter(({ admission }) => admission === "admitted")).toHaveLength(policy.limit);
  expect(await timesIn(store)).toBe(policy.limit);
});

/** Returns the `access` collection with an `updateMany` that runs `step` after each update. */
function afterUpdateMany(step: (...args: unknown[]) => Promise<unknown>): Collections["access"] {
  return new Proxy(access, {
    get(target, name) {
      if (name === "updateMany")
        return async (...[filter, update, options]: Parameters<typeof access.updateMany>) => {
          const result = await target.updateMany(filter, update, options);
          await step();
          return result;
        };
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

test("counts a request only once if another registry admits a request of the same store before the first request's decision is read", async () => {
  const [first, second] = (await createStores(2)) as [Store, Store];
  const other = createAdmissions();
  const admissions = createAdmissions(afterUpdateMany(() => other.admit(keyOf(first))));
  const decisions = await Promise.all([first, second].map((store) => admissions.admit(keyOf(store))));
  expect(decisions).toMatchObject([admitted(1), admitted(2)]);
  expect(await Promise.all([first, second].map(timesIn))).toEqual([2, 1]);
});

test("returns the decision made under the earlier plan if the plan changes before the registry reads the decision", async () => {
  const [basic, pro] = (await createStores(2)) as [Store, Store];
  const setPlan = ({ storeId }: Store, plan: "basic" | "pro") => access.updateOne({ _id: storeId }, { $set: { plan } });
  await setPlan(basic, "basic");
  const changed = afterUpdateMany(() => Promise.all([setPlan(basic, "pro"), setPlan(pro, "basic")]));
  const admissions = createAdmissions(changed);
  const decisions = await Promise.all([basic, pro].map((store) => admissions.admit(keyOf(store))));
  expect(decisions).toMatchObject([{ admission: "plan_required" }, admitted(2)]);
});

test.each([
  ["the driver's error", () => new MongoNetworkError("connection reset")],
  ["Node's error", () => Object.assign(new Error("write EPIPE"), { code: "EPIPE" })],
])("counts each request only once if %s replaces the reply to the batch's update", async (_name, error) => {
  const stores = await createStores(3);
  const lost = afterUpdateMany(() => Promise.reject(error()));
  const admissions = createAdmissions(lost);
  const decisions = await Promise.all(stores.map((store) => admissions.admit(keyOf(store))));
  expect(decisions).toMatchObject(stores.map(() => admitted(2)));
  expect(await Promise.all(stores.map(timesIn))).toEqual([1, 1, 1]);
});

test("admits the requests of the other stores in a batch while one store is locked", async () => {
  const [locked, ...others] = (await createStores(4)) as [Store, Store, Store, Store];
  const admissions = createAdmissions(access, 1_000);
  const session = database.client.startSession();
  session.startTransaction();
  await access.updateOne({ _id: locked.storeId }, { $set: { plan: "basic" } }, { session });
  try {
    const waiting = [locked, ...others].map((store) => admissions.admit(keyOf(store)));
    const ofLocked = waiting.shift()?.catch(() => undefined);
    expect(await Promise.all(waiting)).toMatchObject(others.map(() => admitted(2)));
    await session.abortTransaction();
    await ofLocked;
  } finally {
    await session.endSession();
  }
});
