import { timestampDate } from "@bufbuild/protobuf/wkt";
import { beforeEach, describe, expect, test } from "vitest";
import { Admission } from "#gen/registry/v1/edge_service_pb.js";
import { hashApiKey } from "#shared/keys/api-key.ts";
import { MongoAdmissions } from "../../services/registry/mongo/admissions/mongo-admissions.ts";
import { MongoApiKeys } from "../../services/registry/mongo/admissions/mongo-api-keys.ts";
import { apiKeysMax } from "../../services/registry/stores/api-keys.ts";
import { eventually } from "../harness/eventually.ts";
import { expectNothingChanged } from "../harness/expect-nothing-changed.ts";
import { inStore } from "../harness/in-store.ts";
import { refusalOf } from "../harness/refusal-of.ts";
import { openTestRegistry, startTestRegistry } from "../harness/registry-fixture.ts";
import { storeHistoryOf, testChange } from "../harness/store-history-of.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const { admin, edge, database } = registry;

const hour = { seconds: 3_600n };
const hourMs = 3_600_000;

let storeId: string;
beforeEach(async () => {
  storeId = await createTestStore(registry);
});

const create = (label = "shop") => admin.createApiKey({ label }, inStore(storeId));
const listed = async () => (await admin.listApiKeys({}, inStore(storeId))).keys;
const admissionOf = async (apiKey: string) => {
  const { admission } = await edge.admit({ keySha256: hashApiKey(apiKey) });
  return Admission[admission];
};

describe("listApiKeys", () => {
  test("returns the id, prefix, label and creation time of each valid key, oldest first; neither the response nor the database contains the key itself", async () => {
    const startMs = (await database.now()).getTime();
    const first = await create("$plan");
    const second = await create("Cache");
    const keys = await listed();
    expect(keys.map(({ keyId, label, prefix }) => [keyId, label, prefix])).toEqual([
      [first.keyId, "$plan", first.apiKey.slice(0, 8)],
      [second.keyId, "Cache", second.apiKey.slice(0, 8)],
    ]);
    const endMs = (await database.now()).getTime();
    for (const { createdAt, lastUsedAt, validUntil } of keys) {
      const createdMs = createdAt === undefined ? 0 : timestampDate(createdAt).getTime();
      expect(createdMs).toBeGreaterThanOrEqual(startMs);
      expect(createdMs).toBeLessThanOrEqual(endMs);
      expect([lastUsedAt, validUntil]).toEqual([undefined, undefined]);
    }
    const shown = Buffer.from(
      JSON.stringify(
        keys.map(({ $typeName, ...key }) => key),
        bigIntsAsText,
      ),
    );
    for (const { apiKey } of [first, second]) expect(shown.includes(apiKey.slice(0, 9))).toBe(false);
    const stored = JSON.stringify(await database.contents());
    for (const { apiKey } of [first, second]) expect(stored).not.toContain(apiKey.slice(0, 9));
  });

  test("omits revoked keys and the keys of other stores, and refuses an unknown store", async () => {
    const { keyId } = await create();
    const other = await createTestStore(registry);
    expect((await admin.listApiKeys({}, inStore(other))).keys).toEqual([]);
    const foreign = await refusalOf(admin.revokeApiKey({ keyId }, inStore(other)));
    expect(foreign.code).toBe("not_found");
    await admin.revokeApiKey({ keyId }, inStore(storeId));
    expect(await listed()).toEqual([]);
    expect((await refusalOf(admin.listApiKeys({}, inStore("sto_none")))).code).toBe("not_found");
  });
});

describe("rollApiKey", () => {
  test("creates a key with the same label and keeps the old key valid until the end of the grace period", async () => {
    const old = await create("Cache");
    const startMs = (await database.now()).getTime();
    const rolled = await admin.rollApiKey({ keyId: old.keyId, gracePeriod: hour }, inStore(storeId));
    const rolledMs = (await database.now()).getTime();
    expect(await Promise.all([old, rolled].map(({ apiKey }) => admissionOf(apiKey)))).toEqual(["ADMITTED", "ADMITTED"]);
    const keys = await listed();
    expect(keys.map(({ keyId, label }) => [keyId, label])).toEqual([
      [old.keyId, "Cache"],
      [rolled.keyId, "Cache"],
    ]);
    const [ending, lasting] = keys;
    expect(ending?.validUntil).toEqual(rolled.oldKeyValidUntil);
    expect(lasting?.validUntil).toBeUndefined();
    const endMs = (rolled.oldKeyValidUntil && timestampDate(rolled.oldKeyValidUntil).getTime()) ?? 0;
    expect(endMs).toBeGreaterThanOrEqual(startMs + hourMs);
    expect(endMs).toBeLessThanOrEqual(rolledMs + hourMs);
  });

  test("invalidates the old key immediately if the grace period is zero, and otherwise at the end of the grace period", async () => {
    const first = await create();
    const second = await admin.rollApiKey({ keyId: first.keyId, gracePeriod: {}, label: "New" }, inStore(storeId));
    expect(second.oldKeyValidUntil).toBeUndefined();
    expect([await admissionOf(first.apiKey), await admissionOf(second.apiKey)]).toEqual(["UNKNOWN_KEY", "ADMITTED"]);
    await admin.rollApiKey({ keyId: second.keyId, gracePeriod: hour }, inStore(storeId));
    expect(await admissionOf(second.apiKey)).toBe("ADMITTED");
    const { access } = database.collections;
    await access.updateOne({ _id: storeId, "keys.id": second.keyId }, { $set: { "keys.$.validUntil": new Date(0) } });
    expect(await admissionOf(second.apiKey)).toBe("UNKNOWN_KEY");
    expect((await listed()).map(({ label }) => label)).toEqual(["New"]);
  });

  test("refuses to roll a key a second time, and changes nothing", async () => {
    const { keyId } = await create();
    await admin.rollApiKey({ keyId, gracePeriod: hour }, inStore(storeId));
    await expectNothingChanged(database, async () => {
      const again = await refusalOf(admin.rollApiKey({ keyId, gracePeriod: {} }, inStore(storeId)));
      expect(again.code).toBe("failed_precondition");
    });
  });

  test("creates only one new key under concurrent calls for the same key", async () => {
    const { keyId } = await create();
    const roll = () => admin.rollApiKey({ keyId, gracePeriod: hour }, inStore(storeId));
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, roll));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await listed()).toHaveLength(2);
  });

  test.each([
    ["grace_period", "the field is missing", {}],
    ["grace_period", "the duration is negative", { gracePeriod: { seconds: -1n } }],
    ["grace_period", "the duration exceeds 30 days", { gracePeriod: { seconds: 30n * 86_400n, nanos: 1 } }],
    ["label", "the label is too long", { gracePeriod: hour, label: "x".repeat(101) }],
  ])("refuses with a bad_request error that names %s when %s", async (field, _problem, request) => {
    const { keyId } = await create();
    const refusal = await refusalOf(admin.rollApiKey({ keyId, ...request }, inStore(storeId)));
    expect([refusal.code, refusal.field]).toEqual(["bad_request", field]);
  });

  test("refuses a key that does not exist or belongs to another store", async () => {
    const { keyId } = await create();
    const other = await createTestStore(registry);
    for (const target of [
      { storeId: other, keyId },
      { storeId, keyId: "key_none" },
    ]) {
      const refusal = await refusalOf(admin.rollApiKey({ ...target, gracePeriod: hour }, inStore(target.storeId)));
      expect(refusal.code).toBe("not_found");
    }
  });
});

test("limits a store to 20 keys under concurrent creation; at the limit, a key can be rolled only without a grace period", async () => {
  await Promise.allSettled(Array.from({ length: apiKeysMax + 4 }, () => create()));
  // On a busy machine, transactions that contend for the store's keys can give up before they succeed.
  await eventually(async () =>
    expect(await refusalOf(create())).toMatchObject({
      code: "failed_precondition",
      message: "The store already has 20 API keys, the maximum. Revoke one that is no longer used.",
    }),
  );
  expect(await listed()).toHaveLength(apiKeysMax);
  const keyId = (await listed())[0]?.keyId ?? "";
  const kept = await refusalOf(admin.rollApiKey({ keyId, gracePeriod: hour }, inStore(storeId)));
  expect(kept.code).toBe("failed_precondition");
  expect((await listed())[0]?.validUntil).toBeUndefined();
  await admin.rollApiKey({ keyId, gracePeriod: {} }, inStore(storeId));
  expect(await listed()).toHaveLength(apiKeysMax);
});

/** Creates a MongoApiKeys and a MongoAdmissions that share a clock, which the test advances. */
function atTime() {
  let now = new Date("2026-05-01T12:00:00.000Z");
  const time = () => now;
  const { access } = database.collections;
  return {
    keys: new MongoApiKeys(access, storeHistoryOf(database), time),
    admissions: new MongoAdmissions(access, { limit: 120, windowMs: 60_000 }, { databaseTime: time }),
    pass: (ms: number) => {
      now = new Date(now.getTime() + ms);
    },
    now: time,
  };
}

test("invalidates a rolled key exactly at the end of its grace period, and then no longer counts it against the maximum", async () => {
  const { keys, admissions, pass } = atTime();
  const key = (id: string, byte: number) => ({
    id,
    label: "",
    prefix: "",
    hash: new Uint8Array(32).fill(byte),
  });
  const old = { ...key("key_old", 1), hash: hashApiKey(storeId) };
  await keys.add(storeId, old, testChange);
  for (let count = 2; count < apiKeysMax; count++) await keys.add(storeId, key(`key_${count}`, count), testChange);
  await keys.replace(storeId, { oldKeyId: "key_old", key: key("key_new", 200), graceMs: hourMs }, testChange);
  await expect(keys.add(storeId, key("key_more", 201), testChange)).rejects.toThrow("the maximum");
  pass(hourMs - 1);
  expect((await admissions.admit(old.hash)).admission).toBe("admitted");
  pass(1);
  expect((await admissions.admit(old.hash)).admission).toBe("unknown_key");
  await keys.add(storeId, key("key_more", 201), testChange);
  expect(await keys.list(storeId)).toHaveLength(apiKeysMax);
});

test("a written admission removes rolled keys that have ended, so that they do not work again after the database's clock is set back", async () => {
  const { keys, admissions, pass } = atTime();
  const key = (name: string) => ({ id: name, label: "", prefix: "", hash: hashApiKey(`${storeId} ${name}`) });
  const [first, second, third] = [key("key_1"), key("key_2"), key("key_3")];
  const admissionOf = async ({ hash }: { readonly hash: Uint8Array }) => (await admissions.admit(hash)).admission;
  await keys.add(storeId, first, testChange);
  await keys.replace(storeId, { oldKeyId: first.id, key: second, graceMs: hourMs }, testChange);
  await keys.replace(storeId, { oldKeyId: second.id, key: third, graceMs: 2 * hourMs }, testChange);
  pass(hourMs);
  expect(await admissionOf(first)).toBe("unknown_key");
  pass(-1);
  expect([await admissionOf(first), await admissionOf(second)]).toEqual(["unknown_key", "admitted"]);
  pass(hourMs + 1);
  expect(await admissionOf(third)).toBe("admitted");
  pass(-1);
  expect(await admissionOf(second)).toBe("unknown_key");
  expect((await keys.list(storeId)).map(({ id }) => id)).toEqual([third.id]);
});

test("stores a key's last-used time only if it is at least 60 seconds later than the stored time, or the database's clock was set back, and only for an existing key", async () => {
  const { apiKey, keyId } = await create();
  await create();
  const keyHash = hashApiKey(apiKey);
  const { keys } = atTime();
  const startMs = Date.parse("2026-05-01T12:00:00.000Z");
  const note = (afterMs: number, nowMs = afterMs) => {
    const options = { now: new Date(startMs + nowMs), intervalMs: 60_000 };
    return keys.noteUses([{ keyHash, at: new Date(startMs + afterMs) }], options);
  };
  const lastUse = async () => {
    const [used, unused] = await listed();
    expect(unused?.lastUsedAt).toBeUndefined();
    return used?.lastUsedAt && timestampDate(used.lastUsedAt).getTime() - startMs;
  };
  await note(0);
  expect(await lastUse()).toBe(0);
  await note(59_999);
  expect(await lastUse()).toBe(0);
  await note(60_000);
  expect(await lastUse()).toBe(60_000);
  await note(30_000);
  expect(await lastUse()).toBe(60_000);
  const dayMs = 24 * hourMs;
  await note(dayMs);
  // By a replica that was paused for an hour.
  await note(dayMs - hourMs, dayMs);
  expect(await lastUse()).toBe(dayMs);
  await note(120_000, 150_000);
  expect(await lastUse()).toBe(120_000);
  await admin.revokeApiKey({ keyId }, inStore(storeId));
  await note(600_000);
  expect(await listed()).toHaveLength(1);
});

test("writes pending last-used times when the registry stops", async () => {
  const { apiKey } = await create();
  const replica = await startTestRegistry({ database });
  await replica.edge.admit({ keySha256: hashApiKey(apiKey) });
  expect((await listed())[0]?.lastUsedAt).toBeUndefined();
  await replica.stop();
  expect((await listed())[0]?.lastUsedAt).toBeDefined();
});

function bigIntsAsText(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
