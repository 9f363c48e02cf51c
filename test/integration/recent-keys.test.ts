import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { networkList } from "#shared/address-guard/network.ts";
import { generateApiKey } from "#shared/keys/api-key.ts";
import { type RawReply, request } from "../../services/edge/testing/raw-http.ts";
import { startEdge, stoppedClock, type TestEdge } from "../../services/edge/testing/start-edge.ts";
import { MongoApiKeys } from "../../services/registry/mongo/admissions/mongo-api-keys.ts";
import { insertAccess } from "../harness/access-of-store.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { openTestRegistry, startTestRegistry } from "../harness/registry-fixture.ts";
import { storeHistoryOf } from "../harness/store-history-of.ts";
import { createKeyedStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const { database } = registry;
const trustedProxies = networkList.parse("127.0.0.1/32");
const flooder = "203.0.113.66";

const openEdge = (registryAddress: string) => startEdge({ registryAddress, trustedProxies }, stoppedClock);
const ask = (edge: TestEdge, apiKey: string): Promise<RawReply> =>
  request(edge.port, "GET /v1/certificates?limit=1", [
    `Authorization: Bearer ${apiKey}`,
    `X-Forwarded-For: ${flooder}`,
  ]);

async function createKey() {
  const { storeId, apiKey, keyId } = await createKeyedStore(registry);
  return { storeId, apiKey, keyId };
}

describe("a newly started edge, for a client whose address has used up its budget for unknown keys", () => {
  const keys = { used: "", unused: "", revoked: "" };
  let edge: TestEdge;
  beforeAll(async () => {
    const [used, unused, revoked] = [await createKey(), await createKey(), await createKey()];
    Object.assign(keys, { used: used.apiKey, unused: unused.apiKey, revoked: revoked.apiKey });
    const replica = await startTestRegistry({ database });
    const other = await openEdge(replica.address);
    for (const { apiKey } of [used, revoked]) expect((await ask(other, apiKey)).status).toBe(200);
    await registry.admin.revokeApiKey(revoked, inStore(revoked.storeId));
    await other.stop();
    // When the registry stops, it stores the pending last-used times of keys.
    await replica.stop();
    edge = await openEdge(registry.address);
    await eventually(() =>
      expect(edge.log).toContainEqual(expect.objectContaining({ msg: "loaded recently used keys" })),
    );
    let limited = false;
    while (!limited) {
      const replies = await Promise.all(Array.from({ length: 40 }, () => ask(edge, generateApiKey())));
      limited = replies.some(({ status }) => status === 429);
    }
  });
  afterAll(() => edge.stop());

  test("admits a valid key that was recently used at another edge", async () => {
    for (let count = 0; count < 5; count++) expect((await ask(edge, keys.used)).status).toBe(200);
  });

  test("responds with 429 to a valid key that was never used, and to a revoked key", async () => {
    for (const apiKey of [keys.unused, keys.revoked]) expect((await ask(edge, apiKey)).status).toBe(429);
  });
});

describe("the registry's list of recently used keys", () => {
  const { access } = database.collections;
  const keys = new MongoApiKeys(access, storeHistoryOf(database));
  const usedAt = new Date("2026-05-01T12:00:00.000Z");
  const usedAfter = new Date(usedAt.getTime() - 1);

  test("contains the valid keys with a recorded use after the given time, and no others", async () => {
    await access.deleteMany({});
    const { storeId, hashes } = await insertAccess(database.collections, 4);
    const [used, old, expired] = hashes;
    if (used === undefined || old === undefined || expired === undefined) throw new Error("four keys are expected");
    const uses = [used, expired].map((keyHash) => ({ keyHash, at: usedAt }));
    await keys.noteUses([...uses, { keyHash: old, at: usedAfter }], { now: usedAt, intervalMs: 0 });
    await access.updateOne({ _id: storeId, "keys.id": "key_2" }, { $set: { "keys.$.validUntil": usedAt } });
    const page = await keys.listRecent({ usedAfter, afterStoreId: "", storesMax: 10 });
    expect(page.nextStoreId).toBe("");
    expect(page.keyHashes.map((hash) => Buffer.from(hash))).toEqual([used]);
  });

  test("is returned in pages of at most storesMax stores, and the collection has an index on the time of use", async () => {
    await access.deleteMany({});
    const stores = await Promise.all(Array.from({ length: 7 }, () => insertAccess(database.collections, 2)));
    const hashes = stores.flatMap((store) => store.hashes);
    await keys.noteUses(
      hashes.map((keyHash) => ({ keyHash, at: usedAt })),
      { now: usedAt, intervalMs: 0 },
    );
    const found: string[] = [];
    const counts: number[] = [];
    let afterStoreId = "";
    do {
      const page = await keys.listRecent({ usedAfter, afterStoreId, storesMax: 3 });
      counts.push(page.keyHashes.length);
      found.push(...page.keyHashes.map((hash) => Buffer.from(hash).toString("hex")));
      afterStoreId = page.nextStoreId;
    } while (afterStoreId !== "");
    expect(counts).toEqual([6, 6, 2]);
    expect(found.toSorted()).toEqual(hashes.map((hash) => hash.toString("hex")).toSorted());
    const indexes = await access.indexes();
    expect(indexes.map(({ key }) => key)).toContainEqual({ "keys.lastUsedAt": 1 });
  });

  test.each([0, 604_801])("is refused for a period of %i s", async (withinSeconds) => {
    const call = registry.edge.listRecentKeys({ withinSeconds });
    await expect(call).rejects.toThrow("within_seconds");
  });
});
