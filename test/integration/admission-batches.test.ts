import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { MongoNetworkError } from "mongodb";
import { describe, expect, onTestFinished, test } from "vitest";
import type { AdmissionDecision, RateLimitPolicy } from "../../services/registry/admissions/admission.ts";
import { MongoAdmissions } from "../../services/registry/mongo/admissions/mongo-admissions.ts";
import { type Collections, collectionsOf } from "../../services/registry/mongo/documents/collections.ts";
import { connectMongo } from "../../services/registry/mongo/opening/connect-mongo.ts";
import { insertAccess } from "../harness/access-of-store.ts";
import { admissionTimesOf } from "../harness/admitted-requests.ts";
import { startDatabaseProxy } from "../harness/database-proxy.ts";
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

const startMs = Date.parse("2026-05-01T12:00:00.000Z");

interface Request {
  readonly key?: number;
  readonly id?: Uint8Array;
  readonly remainingMs?: () => number;
}

/** Creates a store with two keys, and admissions that use a clock set by the test and do not cache refused keys. */
async function startStore(policy: RateLimitPolicy, collection = access) {
  const { storeId, hashes } = await insertAccess({ access }, 2);
  let nowMs = startMs;
  const databaseTime = () => new Date(nowMs);
  const admissions = new MongoAdmissions(collection, policy, { databaseTime, refusedKeys });
  const admit = ({ key = 0, id = randomBytes(16), remainingMs }: Request = {}) =>
    admissions.admit(hashes[key] ?? Buffer.alloc(0), { id, ...(remainingMs && { remainingMs }) });
  return {
    at: (ms: number) => {
      nowMs = startMs + ms;
    },
    admit,
    /** Sends the requests at the same time: one update handles the first, and a second update all others. */
    together: (requests: readonly Request[]) => Promise.all(requests.map(admit)),
    giveBack: (...ids: Uint8Array[]) => admissions.returnPlaces(hashes[0] ?? Buffer.alloc(0), ids),
    stored: async () => {
      const document = await access.findOne({ _id: storeId });
      const times = admissionTimesOf(document?.admitted).map((time) => time - startMs);
      return { times, places: document?.admitted.flatMap(({ ids }) => ids.map((id) => id.toString("hex"))) };
    },
    setPlan: (plan: "basic" | "pro") => access.updateOne({ _id: storeId }, { $set: { plan } }),
    revoke: (key: number) => access.updateOne({ _id: storeId }, { $pull: { keys: { id: `key_${key}` } } }),
  };
}

const requests = (count: number) => Array.from({ length: count }, () => ({ id: randomBytes(16) }));
const outcomes = (decisions: readonly AdmissionDecision[]) => decisions.map(({ admission }) => admission);
const repeat = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

test("decides all requests that arrive during an update in one further update, each with its own remaining count", async () => {
  const { client, commands } = await openWatchedClient(database.uri);
  const { at, together } = await startStore({ limit: 120, windowMs: 60_000 }, collectionsOf(client.db()).access);
  at(1_000);
  const decisions = await together(requests(60));
  expect(commands.splice(0)).toEqual(["findAndModify", "findAndModify"]);
  expect(decisions).toMatchObject(
    decisions.map((_decision, index) => ({
      admission: "admitted",
      at: new Date(startMs + 1_000),
      rateLimit: { limit: 120, windowSeconds: 60, remaining: 119 - index, resetSeconds: 60 },
    })),
  );
});

test("admits only the first requests of a group if the limit does not permit all of them", async () => {
  const { together, admit, giveBack, stored } = await startStore({ limit: 5, windowMs: 60_000 });
  const asked = requests(9);
  const decisions = await together(asked);
  expect(outcomes(decisions)).toEqual([...repeat(5, "admitted"), ...repeat(4, "rate_limited")]);
  const remaining = decisions.map((decision) => "rateLimit" in decision && decision.rateLimit.remaining);
  expect(remaining).toEqual([4, 3, 2, 1, 0, 0, 0, 0, 0]);
  expect((await stored()).places).toEqual(asked.slice(0, 5).map(({ id }) => id.toString("hex")));
  // Only admitted requests have places that can be returned.
  const ids = asked.map(({ id }) => id);
  expect(await giveBack(...ids.slice(2))).toEqual(ids.slice(2, 5));
  expect(outcomes([await admit(), await admit(), await admit(), await admit()])).toEqual([
    ...repeat(3, "admitted"),
    "rate_limited",
  ]);
});

test("does not admit a request that is cancelled before its group's update", async () => {
  const { admit, stored } = await startStore({ limit: 3, windowMs: 60_000 });
  const left = new Error("the caller has left");
  let hasLeft = false;
  const remainingMs = () => {
    if (hasLeft) throw left;
    return 5_000;
  };
  const decisions = Promise.allSettled([{}, { remainingMs }, {}, { remainingMs }, {}].map((request) => admit(request)));
  hasLeft = true;
  const admitted = { status: "fulfilled", value: { admission: "admitted" } };
  const rejected = { status: "rejected", reason: left };
  expect(await decisions).toMatchObject([admitted, rejected, admitted, rejected, admitted]);
  expect((await stored()).times).toEqual([0, 0, 0]);
});

describe("a decision on a group of requests", () => {
  test("applies a changed plan to the whole group", async () => {
    const { together, setPlan, stored } = await startStore({ limit: 10, windowMs: 60_000 });
    await setPlan("basic");
    const refused = { admission: "plan_required", rateLimit: { remaining: 10, resetSeconds: 0 } };
    expect(await together(requests(6))).toMatchObject(repeat(6, refused));
    await setPlan("pro");
    const changed = setPlan("basic");
    const decisions = outcomes(await together(requests(6)));
    await changed;
    const admitted = decisions.filter((decision) => decision === "admitted");
    expect((await stored()).times).toHaveLength(admitted.length);
    expect([0, 1, 6]).toContain(admitted.length);
  });

  test("refuses the requests with a revoked key and still admits concurrent requests with the store's other key", async () => {
    const { together, revoke, stored } = await startStore({ limit: 10, windowMs: 60_000 });
    await revoke(0);
    const keys = Array.from({ length: 8 }, (_, index) => ({ key: index % 2 }));
    const expected = keys.map(({ key }) => (key === 0 ? "unknown_key" : "admitted"));
    expect(outcomes(await together(keys))).toEqual(expected);
    expect((await stored()).times).toHaveLength(4);
  });
});

test("admits exactly as many requests as the limit permits when two replicas concurrently receive requests with two keys of a store", async () => {
  const policy = { limit: 50, windowMs: 60_000 };
  const { hashes } = await insertAccess({ access }, 2);
  const replicas = [new MongoAdmissions(access, policy), new MongoAdmissions(access, policy)];
  const asked = Array.from({ length: 120 }, (_, index) =>
    replicas[index % 2]?.admit(hashes[Math.floor(index / 2) % 2] ?? Buffer.alloc(0), { id: randomBytes(16) }),
  );
  const decisions = await Promise.all(asked);
  const admitted = decisions.filter((decision) => decision?.admission === "admitted");
  expect(admitted).toHaveLength(50);
  // If the other replica replaces a decision before it is read, the group is decided again, with a smaller `remaining`.
  const remaining = admitted.map((decision) =>
    decision && "rateLimit" in decision ? decision.rateLimit.remaining : -1,
  );
  for (const [index, count] of remaining.toSorted((a, b) => b - a).entries()) expect(count).toBeLessThan(50 - index);
  expect(Math.min(...remaining)).toBe(0);
  expect(new Set(remaining).size).toBeGreaterThan(10);
});

test("counts each request once when the database's replies are lost, and can later remove its admission from the window", async () => {
  const proxy = await startDatabaseProxy(database.uri, onTestFinished);
  const client = await connectMongo(proxy.uri);
  try {
    const store = await startStore({ limit: 10, windowMs: 60_000 }, collectionsOf(client.db()).access);
    proxy.loseReplies("findAndModify access");
    const asked = requests(6);
    const lost = { status: "rejected", reason: { code: "unavailable" } };
    expect(await Promise.allSettled(asked.map(store.admit))).toMatchObject(repeat(6, lost));
    // The driver has sent each of the two updates twice.
    expect(proxy.count("findAndModify access")).toBe(4);
    const ids = asked.map(({ id }) => id);
    expect((await store.stored()).places).toEqual(ids.map((id) => id.toString("hex")));
    proxy.heal();
    expect(await store.giveBack(...ids)).toEqual(ids);
    expect((await store.stored()).times).toEqual([]);
  } finally {
    await client.close();
  }
});

const step = fc.record({
  afterMs: fc.oneof(fc.constant(0), fc.nat(600), fc.constantFrom(999, 1_000, -5_000, -100)),
  count: fc.integer({ min: 1, max: 7 }),
  change: fc.option(fc.constantFrom("basic" as const, "pro" as const, "return" as const), { freq: 3 }),
});
const run = fc.record({
  limit: fc.integer({ min: 1, max: 6 }),
  steps: fc.array(step, { minLength: 1, maxLength: 8 }),
});

test("if the clock stands still, makes the same decisions for a group of requests as for the same requests in sequence", async () => {
  await fc.assert(
    fc.asyncProperty(run, async ({ limit, steps }) => {
      const policy = { limit, windowMs: 1_000 };
      const [grouped, single] = [await startStore(policy), await startStore(policy)];
      let nowMs = 0;
      let latest: Uint8Array[] = [];
      for (const { afterMs, count, change } of steps) {
        nowMs += afterMs;
        for (const store of [grouped, single]) {
          store.at(nowMs);
          if (change === "return") await store.giveBack(...latest.slice(0, 2));
          else if (change !== null) await store.setPlan(change);
        }
        const asked = requests(count);
        latest = asked.map(({ id }) => id);
        const together = await grouped.together(asked);
        const inTurn: AdmissionDecision[] = [];
        for (const request of asked) inTurn.push(await single.admit(request));
        const comparable = (decisions: readonly AdmissionDecision[]) =>
          decisions.map((decision) => ({ ...decision, storeId: "" }));
        expect(comparable(together)).toEqual(comparable(inTurn));
        expect(await grouped.stored()).toEqual(await single.stored());
      }
    }),
    { numRuns: 40, interruptAfterTimeLimit: 20_000 },
  );
});
