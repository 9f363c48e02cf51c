import { Binary } from "mongodb";
import { describe, expect, test } from "vitest";
import { Admission } from "#gen/registry/v1/edge_service_pb.js";
import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { RefusedKeys } from "../../services/registry/admissions/refused-keys.ts";
import { windowPipeline } from "../../services/registry/mongo/admissions/admission-pipelines.ts";
import { MongoAdmissions } from "../../services/registry/mongo/admissions/mongo-admissions.ts";
import { collectionsOf } from "../../services/registry/mongo/documents/collections.ts";
import { insertAccess } from "../harness/access-of-store.ts";
import { inStore } from "../harness/in-store.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { openWatchedClient } from "../harness/sent-commands.ts";
import { createKeyedStore, createTestApiKey } from "../harness/test-stores.ts";

const limit = 3;
const env = { REGISTRY_RATE_LIMIT: String(limit), REGISTRY_RATE_LIMIT_WINDOW_MS: "600000" };
const registry = await openTestRegistry({ env });
const { database, admin } = registry;
const replica = await openTestRegistry({ database, env });
const replicas = [registry, replica];

const { ADMITTED, PLAN_REQUIRED, RATE_LIMITED, UNKNOWN_KEY } = Admission;
const policy = { limit, windowMs: 60_000 };
const startMs = Date.parse("2026-05-01T12:00:00.000Z");
const [write, read] = ["findAndModify", "aggregate"];

/** Creates a store and a MongoAdmissions for each of two registries, with simulated clocks and recorded commands. */
async function startAdmissions({ keys = 1 } = {}) {
  const { storeId, hashes } = await insertAccess(database.collections, keys);
  const { access } = database.collections;
  const time = { databaseMs: startMs, processMs: 0, reads: 0 };
  const { client, commands } = await openWatchedClient(database.uri);
  const open = () =>
    new MongoAdmissions(collectionsOf(client.db()).access, policy, {
      databaseTime: () => new Date(time.databaseMs),
      // Like the process's clock, it never shows the same time twice.
      refusedKeys: new RefusedKeys({ clock: { now: () => time.processMs + ++time.reads / 1e6 } }),
    });
  const registries = [open(), open()];
  return {
    pass: (ms: number) => {
      time.databaseMs += ms;
      time.processMs += ms;
    },
    /** Advances only the database's clock. */
    passDatabase: (ms: number) => {
      time.databaseMs += ms;
    },
    ask: async ({ key = 0, at = 0 } = {}) => {
      const keyHash = hashes[key];
      if (keyHash === undefined) throw new Error(`key ${key} does not exist`);
      const decision = await registries[at]?.admit(keyHash);
      return { ...decision, sent: commands.splice(0) };
    },
    askTogether: async (keys: readonly number[]) => {
      const asked = keys.map((key) => registries[0]?.admit(hashes[key] ?? Buffer.alloc(0)));
      return { decisions: await Promise.all(asked), sent: commands.splice(0) };
    },
    stored: () => access.findOne({ _id: storeId }),
    setPlan: (plan: "basic" | "pro") => access.updateOne({ _id: storeId }, { $set: { plan } }),
    revoke: (key: number) => access.updateOne({ _id: storeId }, { $pull: { keys: { id: `key_${key}` } } }),
    end: (key: number, validUntil: Date) =>
      access.updateOne({ _id: storeId, "keys.id": `key_${key}` }, { $set: { "keys.$.validUntil": validUntil } }),
  };
}

const admitted = { admission: "admitted", sent: [write] };
const refused = { admission: "rate_limited", sent: [read] };

describe("a store at its limit", () => {
  test("causes one write per admitted request and one read per refused request", async () => {
    const { ask, pass, stored } = await startAdmissions();
    for (let call = 0; call < limit; call++) expect(await ask()).toMatchObject(admitted);
    const before = await stored();
    for (let call = 1; call < 20; call++) {
      pass(2_000);
      expect(await ask()).toMatchObject({
        ...refused,
        rateLimit: { limit, windowSeconds: 60, remaining: 0, resetSeconds: 60 - 2 * call },
      });
    }
    expect(await stored()).toEqual(before);
  });

  test("is admitted again from the millisecond in which its oldest admission leaves the window", async () => {
    const { ask, pass } = await startAdmissions();
    for (let call = 0; call < limit; call++) {
      expect(await ask()).toMatchObject(admitted);
      pass(10);
    }
    pass(60_000 - 10 * limit - 1);
    expect(await ask()).toMatchObject(refused);
    pass(1);
    expect(await ask()).toMatchObject(admitted);
    expect(await ask()).toMatchObject({ ...refused, rateLimit: { resetSeconds: 1 } });
    pass(9);
    expect(await ask()).toMatchObject(refused);
    pass(1);
    expect(await ask()).toMatchObject(admitted);
  });

  test("is admitted once the window has room by the database's clock, even if it is still full by the registry's clock", async () => {
    const { ask, passDatabase } = await startAdmissions();
    for (let call = 0; call < limit; call++) await ask();
    passDatabase(59_999);
    expect(await ask()).toMatchObject(refused);
    passDatabase(1);
    expect(await ask()).toMatchObject({ admission: "admitted", sent: [read, write] });
  });

  test("is refused while the window is full by the database's clock, even if it has room by the registry's clock", async () => {
    const { ask, pass, passDatabase } = await startAdmissions();
    for (let call = 0; call < limit; call++) await ask();
    pass(60_000);
    passDatabase(-1);
    expect(await ask()).toMatchObject({ admission: "rate_limited", sent: [write] });
    expect(await ask()).toMatchObject(refused);
  });

  test("causes one write for each further combination of registry and key, and then only reads", async () => {
    const { ask } = await startAdmissions({ keys: 2 });
    for (let call = 0; call < limit; call++) await ask();
    for (const other of [{ at: 1 }, { key: 1 }, { key: 1, at: 1 }]) {
      expect(await ask(other)).toMatchObject({ admission: "rate_limited", sent: [write] });
      expect(await ask(other)).toMatchObject(refused);
    }
  });

  test("gets unknown_key for a revoked or expired key, and rate_limited for its other keys", async () => {
    const { ask, pass, revoke, end } = await startAdmissions({ keys: 3 });
    for (let key = 0; key < limit; key++) await ask({ key });
    for (let key = 0; key < limit; key++) await ask({ key });
    await revoke(0);
    for (let call = 0; call < 2; call++)
      expect(await ask({ key: 0 })).toMatchObject({ admission: "unknown_key", sent: [read] });
    await end(1, new Date(startMs + 1_000));
    pass(999);
    expect(await ask({ key: 1 })).toMatchObject(refused);
    pass(1);
    expect(await ask({ key: 1 })).toMatchObject({ admission: "unknown_key", sent: [read] });
    expect(await ask({ key: 2 })).toMatchObject(refused);
  });

  test("causes one read for concurrent requests, and decides each request by the state of the request's key", async () => {
    const { ask, askTogether, pass, revoke, end } = await startAdmissions({ keys: 4 });
    for (let call = 0; call < 2 * limit; call++) await ask({ key: call % limit });
    await revoke(0);
    await end(1, new Date(startMs + 1));
    pass(1);
    const keys = Array.from({ length: 30 }, (_, index) => index % limit);
    const { decisions, sent } = await askTogether(keys);
    expect(sent).toEqual([read]);
    for (const [index, key] of keys.entries())
      expect(decisions[index]).toMatchObject({ admission: key === 2 ? "rate_limited" : "unknown_key" });
    pass(59_999);
    const { decisions: later } = await askTogether(Array(10).fill(2));
    expect(later.filter((decision) => decision?.admission === "admitted")).toHaveLength(limit);
  });

  test("is refused because of its plan rather than its limit after a downgrade", async () => {
    const { ask, setPlan } = await startAdmissions();
    for (let call = 0; call < limit; call++) await ask();
    await setPlan("basic");
    const rateLimit = { limit, remaining: 0, resetSeconds: 60 };
    expect(await ask()).toMatchObject({ admission: "plan_required", rateLimit, sent: [read] });
    await setPlan("pro");
    expect(await ask()).toMatchObject(refused);
  });
});

describe("a key without access", () => {
  const withoutPlan = { admission: "plan_required", rateLimit: { limit, remaining: limit } };

  test("causes one write, and then only reads, while its store is not on the Pro plan", async () => {
    const { ask, pass, stored, setPlan } = await startAdmissions();
    await setPlan("basic");
    expect(await ask()).toMatchObject({ ...withoutPlan, sent: [write] });
    const before = await stored();
    for (let call = 0; call < 20; call++) {
      pass(2_000);
      expect(await ask()).toMatchObject({ ...withoutPlan, sent: [read] });
    }
    expect(await stored()).toEqual(before);
    await setPlan("pro");
    expect(await ask()).toMatchObject({ admission: "admitted", sent: [read, write] });
    expect(await ask()).toMatchObject(admitted);
  });

  test("causes one write, and then only reads, after the end of its grace period", async () => {
    const { ask, stored, end } = await startAdmissions();
    await end(0, new Date(startMs));
    expect(await ask()).toMatchObject({ admission: "unknown_key", sent: [write] });
    const before = await stored();
    for (let call = 0; call < 5; call++) expect(await ask()).toMatchObject({ admission: "unknown_key", sent: [read] });
    expect(await stored()).toEqual(before);
  });
});

test("applies a plan change or key revocation to the next request on every registry, even while the window is full", async () => {
  const { storeId, keySha256, keyId } = await createKeyedStore(registry);
  const kept = await createTestApiKey(registry, storeId);
  const answers = async (request: { keySha256: Uint8Array } = { keySha256 }) => {
    const replies = await Promise.all(replicas.map(({ edge }) => edge.admit(request)));
    return replies.map(({ admission }) => admission);
  };
  const both = (admission: Admission) => replicas.map(() => admission);
  for (let call = 0; call < limit; call++) expect((await registry.edge.admit(kept)).admission).toBe(ADMITTED);
  for (const request of [{ keySha256 }, kept, { keySha256 }, kept])
    expect(await answers(request)).toEqual(both(RATE_LIMITED));
  await admin.setPlan({ plan: Plan.BASIC }, inStore(storeId));
  expect(await answers()).toEqual(both(PLAN_REQUIRED));
  await admin.setPlan({ plan: Plan.PRO }, inStore(storeId));
  for (let call = 0; call < 2; call++) expect(await answers()).toEqual(both(RATE_LIMITED));
  await admin.revokeApiKey({ keyId }, inStore(storeId));
  expect(await answers()).toEqual(both(UNKNOWN_KEY));
  expect(await answers(kept)).toEqual(both(RATE_LIMITED));
});

/** Returns the values of all fields with this name, at any depth. */
function valuesOf(name: string, plan: unknown): unknown[] {
  if (typeof plan !== "object" || plan === null) return [];
  return Object.entries(plan).flatMap(([key, value]) => (key === name ? [value] : valuesOf(name, value)));
}

test("reads a window through the index on key hashes, without examining other stores' documents", async () => {
  const { hashes } = await insertAccess(database.collections, 20);
  for (let store = 0; store < 10; store++) await insertAccess(database.collections);
  const hash = new Binary(hashes[7] ?? Buffer.alloc(0));
  const reading = database.collections.access.aggregate(windowPipeline(policy, [hash], "$$NOW"));
  // Where the plan contains the fields checked below depends on the database server.
  const plan = await reading.explain("executionStats");
  expect(valuesOf("indexName", plan)).toContain("key_hash");
  expect(valuesOf("stage", plan)).not.toContain("COLLSCAN");
  expect(new Set(valuesOf("totalKeysExamined", plan))).toEqual(new Set([1]));
  expect(new Set(valuesOf("totalDocsExamined", plan))).toEqual(new Set([1]));
});
