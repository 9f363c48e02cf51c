import { expect, onTestFinished, test } from "vitest";
import { standardSigningKey } from "#shared/webhook/standard-signature.ts";
import { inStore } from "../harness/in-store.ts";
import { openKeyFolder } from "../harness/key-files.ts";
import { openTestRegistry, type TestRegistry } from "../harness/registry-fixture.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { testWebhookUrl as url } from "../harness/test-stores.ts";
import { issue } from "./notifier-rig.ts";
import { createStoreWithTrigger, triggerOf } from "./trigger-rig.ts";

/** Issues a certificate and leases its event for the only trigger. @returns the lease's signing keys, in base64 */
async function signingKeys(registry: TestRegistry, storeId: string) {
  await issue({ registry }, storeId);
  const { leases } = await registry.triggerDeliveries.claimTriggerDeliveries({ notifierId: "test", limit: 1 });
  expect(leases).toHaveLength(1);
  return leases.flatMap((lease) => lease.signingKeys).map((key) => Buffer.from(key).toString("base64"));
}

const keysOf = (secrets: readonly string[]) => secrets.map((one) => standardSigningKey(one).toString("base64"));

/** Rotates the secret of a trigger. @returns the new secret */
async function rotate({ triggers }: TestRegistry, storeId: string, triggerId: string): Promise<string> {
  return (await triggers.rotateTriggerSecret({ triggerId }, inStore(storeId))).secret;
}

test("every replaced secret signs messages until its own expiry, however often the secret is rotated", async () => {
  const registry = await openTestRegistry({}, onTestFinished);
  const { storeId, triggerId, secret: first } = await createStoreWithTrigger({ registry }, { url });
  const second = await rotate(registry, storeId, triggerId);
  const { triggers } = registry.database.collections;
  expect(await signingKeys(registry, storeId)).toEqual(keysOf([second, first]));
  const third = await rotate(registry, storeId, triggerId);
  expect(await signingKeys(registry, storeId)).toEqual(keysOf([third, second, first]));
  const { previousSecretUntil } = await triggerOf({ registry }, storeId, triggerId);
  const stored = await triggers.findOne({ _id: triggerId });
  expect(Number(previousSecretUntil?.seconds)).toBe(
    Math.floor((stored?.secrets.others[0]?.until?.getTime() ?? 0) / 1_000),
  );

  await triggers.updateOne({ _id: triggerId }, { $set: { "secrets.others.1.until": new Date() } });
  expect(await signingKeys(registry, storeId)).toEqual(keysOf([third, second]));
  const fourth = await rotate(registry, storeId, triggerId);
  expect(await signingKeys(registry, storeId)).toEqual(keysOf([fourth, third, second]));
});

test("rotating the sealing key keeps every secret of a trigger", async () => {
  const keys = await openKeyFolder(onTestFinished);
  const [oldKey, newKey] = [await keys.write("old"), await keys.write("new")];
  const database = await openTestDatabase(onTestFinished);
  const registryWith = (...files: string[]) =>
    openTestRegistry({ database, env: { REGISTRY_SECRET_KEY_FILES: files.join() } }, onTestFinished);
  const before = await registryWith(oldKey);
  const { storeId, triggerId, secret } = await createStoreWithTrigger({ registry: before }, { url });
  const secrets = [secret];
  for (let count = 0; count < 3; count++) secrets.unshift(await rotate(before, storeId, triggerId));
  const during = await registryWith(newKey, oldKey);
  // The newest secret is already sealed with the new key.
  secrets.unshift(await rotate(during, storeId, triggerId));
  expect(await during.admin.resealSecrets({ limit: 10 })).toMatchObject({ resealedCount: 1, unreadableStoreIds: [] });
  const after = await registryWith(newKey);
  expect(await signingKeys(after, storeId)).toEqual(keysOf(secrets));
  expect(await after.admin.resealSecrets({ limit: 10 })).toMatchObject({ resealedCount: 0, unreadableStoreIds: [] });
});
