import { afterAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { ClaimDecision } from "#gen/registry/v1/notifier_service_pb.js";
import { RotationStep } from "#gen/registry/v1/store_admin_service_pb.js";
import { inStore } from "../harness/in-store.ts";
import { openKeyFolder } from "../harness/key-files.ts";
import { refusalOf } from "../harness/refusal-of.ts";
import { openTestRegistry, type TestRegistry } from "../harness/registry-fixture.ts";
import { claimOne, signedWith } from "../harness/signed-with.ts";
import { openTestDatabase, type TestDatabase } from "../harness/test-database.ts";
import { createStoreWithWebhook, createTestStore, testWebhookUrl } from "../harness/test-stores.ts";

const keys = await openKeyFolder(afterAll);
const [oldKey, newKey] = [await keys.write("old"), await keys.write("new")];

let database: TestDatabase;
beforeEach(async () => {
  database = await openTestDatabase(onTestFinished);
});

/** Starts a registry on the test's database. @param keyFiles the first key seals secrets; all keys open them */
async function registryWith(...keyFiles: string[]): Promise<TestRegistry> {
  const registry = await openTestRegistry(
    { database, env: { REGISTRY_SECRET_KEY_FILES: keyFiles.join() } },
    onTestFinished,
  );
  return registry;
}

/** Creates stores with two secrets each, and one without a webhook. @returns the stores with secrets, sorted by id */
async function signedStores(registry: TestRegistry, count: number) {
  await createTestStore(registry);
  const stores: { storeId: string; secrets: unknown[] }[] = [];
  for (let made = 0; made < count; made++) {
    const { storeId } = await createStoreWithWebhook(registry, { createSecret: true });
    await registry.admin.rotateWebhookSecret({ step: RotationStep.BEGIN }, inStore(storeId));
    stores.push({ storeId, secrets: await signedWith(registry, storeId) });
  }
  return stores.sort((a, b) => (a.storeId < b.storeId ? -1 : 1));
}

/**
 * Reseals the secrets of all stores, two stores per call.
 *
 * @returns the totals, not counting the last call, which finds no more stores
 */
async function reseal({ admin }: TestRegistry) {
  const totals = { resealed: 0, unreadable: [] as string[], calls: 0 };
  for (let afterStoreId = ""; ; totals.calls++) {
    const page = await admin.resealSecrets({ afterStoreId, limit: 2 });
    if (page.lastStoreId === "") return totals;
    totals.resealed += page.resealedCount;
    totals.unreadable.push(...page.unreadableStoreIds);
    afterStoreId = page.lastStoreId;
  }
}

test("rotates the sealing key without downtime by adding the new key, resealing and removing the old key", async () => {
  const stores = await signedStores(await registryWith(oldKey), 4);
  const during = await registryWith(newKey, oldKey);
  for (const { storeId, secrets } of stores) expect(await signedWith(during, storeId)).toEqual(secrets);
  expect(await reseal(during)).toEqual({ resealed: 4, unreadable: [], calls: 3 });

  const after = await registryWith(newKey);
  for (const { storeId, secrets } of stores) expect(await signedWith(after, storeId)).toEqual(secrets);
  const contents = await database.contents();
  expect(await reseal(after)).toEqual({ resealed: 0, unreadable: [], calls: 3 });
  expect({ ...(await database.contents()), deliveries: 0 }).toEqual({ ...contents, deliveries: 0 });
});

test("does not seal an unencrypted secret, because anyone with write access to the database could have planted it", async () => {
  const registry = await registryWith(newKey);
  const { storeId } = await createStoreWithWebhook(registry, { createSecret: true });
  await database.collections.stores.updateOne(
    { _id: storeId },
    { $set: { "webhook.secrets.active.text": "whsec_planted" } },
  );
  expect(await reseal(registry)).toMatchObject({ resealed: 0, unreadable: [storeId] });
  await registry.admin.setWebhook({ url: testWebhookUrl }, inStore(storeId));
  expect(await claimOne(registry, storeId)).toMatchObject({ decision: ClaimDecision.LATER });
  const { secret } = await registry.admin.setWebhook({ url: testWebhookUrl, createSecret: true }, inStore(storeId));
  expect(await signedWith(registry, storeId)).toEqual([secret]);
});

test("reports stores with unreadable secrets, leaves them unchanged and reseals the others", async () => {
  const [first, second, third] = await signedStores(await registryWith(oldKey), 3);
  const stored = await database.collections.stores.findOne({ _id: second?.storeId ?? "" });
  const copied = stored?.webhook?.secrets?.active.text ?? "";
  await database.collections.stores.updateOne(
    { _id: first?.storeId ?? "" },
    { $set: { "webhook.secrets.others.0.secret.text": copied } },
  );
  const before = await database.collections.stores.findOne({ _id: first?.storeId ?? "" });
  const during = await registryWith(newKey, oldKey);
  expect(await reseal(during)).toMatchObject({ resealed: 2, unreadable: [first?.storeId] });
  expect(await database.collections.stores.findOne({ _id: first?.storeId ?? "" })).toEqual(before);
  const after = await registryWith(newKey);
  expect(await signedWith(after, third?.storeId ?? "")).toEqual(third?.secrets);
});

test("loses no secret when resealing and rotation run concurrently", async () => {
  const stores = await signedStores(await registryWith(oldKey), 6);
  const during = await registryWith(newKey, oldKey);
  const rotating = stores.map(({ storeId }) =>
    during.admin.rotateWebhookSecret({ step: RotationStep.SWITCH }, inStore(storeId)),
  );
  await Promise.all([reseal(during), ...rotating]);
  await reseal(during);
  const after = await registryWith(newKey);
  for (const { storeId, secrets } of stores) {
    const [active, , next] = secrets;
    expect(await signedWith(after, storeId)).toEqual([next, expect.any(Number), active]);
  }
});

test("rejects a limit above 500 and names the field", async () => {
  const { admin } = await registryWith(newKey);
  expect(await refusalOf(admin.resealSecrets({ limit: 501 }))).toMatchObject({
    code: "bad_request",
    field: "limit",
  });
});

test.each([
  ["is missing", async () => `${oldKey}-absent`],
  ["is too short", () => keys.write("short", new Uint8Array(31))],
])("refuses to start and names the file when a key file %s", async (_name, file) => {
  const path = await file();
  await expect(registryWith(path)).rejects.toThrow(
    expect.objectContaining({
      name: "ConfigError",
      message: expect.stringMatching(/^REGISTRY_SECRET_KEY_FILES: /),
    }),
  );
  await expect(registryWith(newKey, path)).rejects.toThrow(path);
});
