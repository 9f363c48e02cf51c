import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { EditionStyle } from "#gen/registry/v1/store_admin_service_pb.js";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { MongoAdmissions } from "../../services/registry/mongo/admissions/mongo-admissions.ts";
import { inStore } from "../harness/in-store.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestApiKey, createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const replica = await openTestRegistry({ database: registry.database });
const { admin, database } = registry;
const { access, stores } = database.collections;
// The window is never full, and short enough that the log remains small during a flood.
const policy = { limit: 1_000_000, windowMs: 50 };

/** Creates a store with a key. @returns its id and a function that requests an admission */
async function startStore(settings: Parameters<typeof createTestStore>[1] = {}) {
  const storeId = await createTestStore(registry, settings);
  const { keySha256 } = await createTestApiKey(registry, storeId);
  const admissions = new MongoAdmissions(access, policy);
  const admit = async () => {
    const decision = await admissions.admit(keySha256, { id: randomBytes(16) });
    if (decision.admission !== "admitted") throw new Error(decision.admission);
    return decision;
  };
  return { storeId, admit };
}

test("returns the database's time and the store's settings with an admission", async () => {
  const { admit } = await startStore({ language: "fr" });
  const before = await database.now();
  const { at, settings } = await admit();
  expect(settings).toMatchObject({ editionStyle: "number_total", verifyBaseUrl: null, language: "fr" });
  expect(at.getTime()).toBeGreaterThanOrEqual(before.getTime());
  expect(at.getTime()).toBeLessThanOrEqual((await database.now()).getTime());
});

test("returns changed settings with the next admission", async () => {
  const { storeId, admit } = await startStore();
  await admin.updateSettings({ language: "de", verifyBaseUrl: "https://shop.example.test" }, inStore(storeId));
  const changed = { editionStyle: "number_total", verifyBaseUrl: "https://shop.example.test", language: "de" };
  expect((await admit()).settings).toMatchObject(changed);
  await replica.admin.updateSettings({ editionStyle: EditionStyle.NO_OF, verifyBaseUrl: "" }, inStore(storeId));
  expect((await admit()).settings).toMatchObject({ editionStyle: "no_of", verifyBaseUrl: null, language: "de" });
});

test("a rejected update does not change the settings that the next admission returns", async () => {
  const { storeId, admit } = await startStore();
  const { settings } = await admit();
  const error = await admin.updateSettings({ language: "sv" }, inStore(storeId)).catch(toServiceError);
  expect(error).toMatchObject({ code: "bad_request" });
  expect((await admit()).settings).toEqual(settings);
});

test("loses no change to the settings during a flood of admissions, and returns the new settings with the next admission", async () => {
  const { storeId, admit } = await startStore();
  const ended = new AbortController();
  const flood = Array.from({ length: 8 }, async () => {
    while (!ended.signal.aborted) await admit();
  });
  try {
    for (let change = 0; change < 10; change++) {
      const verifyBaseUrl = `https://shop.example.test/${change}`;
      const language = change % 2 === 0 ? "de" : "fr";
      await Promise.all([
        registry.admin.updateSettings({ verifyBaseUrl }, inStore(storeId)),
        replica.admin.updateSettings({ language }, inStore(storeId)),
      ]);
      expect((await admit()).settings).toMatchObject({ verifyBaseUrl, language });
    }
  } finally {
    ended.abort();
    await Promise.all(flood);
  }
  const [store, copy] = await Promise.all([stores.findOne({ _id: storeId }), access.findOne({ _id: storeId })]);
  expect(copy?.settings).toEqual(store?.settings);
});
