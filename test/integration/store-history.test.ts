import { timestampDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { EditionStyle, Plan, RotationStep } from "#gen/registry/v1/store_admin_service_pb.js";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { inStore } from "../harness/in-store.ts";
import { pagesOf } from "../harness/pages-of.ts";
import { refusalOf } from "../harness/refusal-of.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { runCertctlFor } from "../harness/run-certctl.ts";
import { storeHistoryOf, testChange } from "../harness/store-history-of.ts";
import { createTestStore } from "../harness/test-stores.ts";

const { lines, onLogLine } = captureLog();
const registry = await openTestRegistry({ onLogLine });
const { admin, inspection } = registry;
const by = (actor: string, storeId?: string) => ({
  headers: { "x-actor": actor, ...(storeId !== undefined && inStore(storeId).headers) },
});

/** Returns the store's audit lines, oldest first. */
const auditOf = (storeId: string) =>
  lines.flatMap(({ msg, storeId: changed, action, actor, details, entry }) =>
    msg === "administration" && changed === storeId ? [{ entryId: entry, action, actor, details }] : [],
  );

/** Reads the store's history in pages of three entries. @returns the entries, oldest first */
async function historyOf(storeId: string) {
  const found = [];
  const read = (pageToken: string) => inspection.listStoreHistory({ limit: 3, pageToken }, inStore(storeId));
  for await (const { entries } of pagesOf(read)) {
    expect(entries.length).toBeLessThanOrEqual(3);
    found.push(...entries);
  }
  return found.reverse();
}

test("writes an audit line and a history entry, with the actor and without secrets, for each administrative change", async () => {
  const shop = "audited.example.test";
  const { store } = await admin.createStore({ shop, plan: Plan.BASIC }, by("ada"));
  const storeId = store?.id ?? "";
  await admin.createStore({ shop, plan: Plan.PRO }, by("not a change"));
  await admin.setPlan({ plan: Plan.PRO }, by("ben", storeId));
  await admin.updateSettings({ editionStyle: EditionStyle.NUMBER, language: "fr" }, by("ada", storeId));
  await admin.updateSettings({}, by("not a change", storeId));
  const products = [{ id: "7001", title: "Jacket", variants: [{ sku: "J", title: "" }] }];
  await admin.putProducts({ products }, by("connector", storeId));
  const { keyId, apiKey } = await admin.createApiKey({ label: "Cache of Ada" }, by("ada", storeId));
  const rolled = await admin.rollApiKey({ keyId, gracePeriod: { seconds: 60n } }, by("ben", storeId));
  await admin.revokeApiKey({ keyId }, by("ben", storeId));
  const url = "https://receiver.example.test/hooks/T0K3N?key=S3CR3T";
  const { secret } = await admin.setWebhook({ url, createSecret: true }, by("ada", storeId));
  await admin.setWebhook({ url }, by("ada", storeId));
  const next = await admin.rotateWebhookSecret({ step: RotationStep.BEGIN }, by("cara", storeId));
  await admin.rotateWebhookSecret({ step: RotationStep.SWITCH }, by("cara", storeId));
  await admin.setWebhook({ url: "" }, by("ada", storeId));

  const host = "receiver.example.test";
  const expected = [
    ["store.created", "ada", { shop, plan: "basic" }],
    ["plan.set", "ben", { plan: "pro" }],
    ["settings.changed", "ada", { editionStyle: "number", language: "fr" }],
    ["products.put", "connector", { count: "1" }],
    ["key.created", "ada", { keyId }],
    ["key.rolled", "ben", { keyId, newKeyId: rolled.keyId, graceSeconds: "60" }],
    ["key.revoked", "ben", { keyId }],
    ["webhook.set", "ada", { host, secret: "created" }],
    ["webhook.set", "ada", { host, secret: "kept" }],
    ["secret.rotated", "cara", { step: "begin" }],
    ["secret.rotated", "cara", { step: "switch" }],
    ["webhook.removed", "ada", {}],
  ];
  const entries = await historyOf(storeId);
  expect(entries.map(({ action, actor, details }) => [action, actor, details])).toEqual(expected);
  expect(auditOf(storeId)).toEqual(
    entries.map(({ entryId, action, actor, details }) => ({ entryId, action, actor, details })),
  );
  const times = entries.map(({ occurredAt }) => occurredAt && timestampDate(occurredAt).getTime());
  expect(times).toEqual(times.toSorted());
  const stored = JSON.stringify([lines, await registry.database.collections.storeHistory.find().toArray()]);
  for (const hidden of [apiKey, rolled.apiKey, secret, next.secret, "T0K3N", "S3CR3T", "Cache of Ada"])
    expect(stored).not.toContain(hidden);
});

test("writes no entry for a change that is refused", async () => {
  const storeId = await createTestStore(registry);
  const before = await historyOf(storeId);
  const refused = [
    admin.setPlan({ plan: Plan.PRO }, inStore("sto_unknown")),
    admin.revokeApiKey({ keyId: "key_unknown" }, inStore(storeId)),
    admin.rotateWebhookSecret({ step: RotationStep.BEGIN }, inStore(storeId)),
    admin.createApiKey({ label: "" }, inStore(storeId)),
    admin.updateSettings({ language: "-" }, inStore(storeId)),
  ];
  await Promise.all(refused.map(refusalOf));
  expect(await historyOf(storeId)).toEqual(before);
  expect(auditOf("sto_unknown")).toEqual([]);
});

test("stores neither the change nor its entry if the entry cannot be written", async () => {
  const storeId = await createTestStore(registry);
  const { stores } = registry.database.collections;
  const before = { store: await stores.findOne({ _id: storeId }), history: await historyOf(storeId) };
  // Larger than any MongoDB document can be.
  const change = { ...testChange, details: { text: "x".repeat(17 * 1024 * 1024) } };
  const recording = storeHistoryOf(registry.database).record(storeId, change, async (session) => {
    await stores.updateOne({ _id: storeId }, { $set: { "settings.language": "fr" } }, { session });
    return { hasChanged: true, value: undefined };
  });
  await expect(recording).rejects.toThrow();
  expect({ store: await stores.findOne({ _id: storeId }), history: await historyOf(storeId) }).toEqual(before);
});

test("records each concurrent change once, and the last entry shows the resulting setting", async () => {
  const storeId = await createTestStore(registry);
  const languages = ["de", "fr", "it", "es", "nl", "ja"];
  await Promise.all(languages.map((language) => admin.updateSettings({ language }, inStore(storeId))));
  const recorded = (await historyOf(storeId)).slice(1).map(({ details }) => details.language);
  expect(recorded.toSorted()).toEqual(languages.toSorted());
  const { store } = await admin.getStore({}, inStore(storeId));
  expect(store?.language).toBe(recorded.at(-1));
});

test("refuses an unknown store, a limit that is too high and an invalid page token", async () => {
  const storeId = await createTestStore(registry);
  const refusal = async (store: string, request: object) =>
    (await refusalOf(inspection.listStoreHistory(request, inStore(store)))).code;
  expect(await refusal("sto_unknown", {})).toBe("not_found");
  expect(await refusal(storeId, { limit: 101 })).toBe("bad_request");
  expect(await refusal(storeId, { pageToken: "x" })).toBe("bad_request");
});

test("certctl store history lists the changes, newest first", async () => {
  const storeId = await createTestStore(registry);
  await admin.setPlan({ plan: Plan.BASIC }, by("ben", storeId));
  const { code, out } = await runCertctlFor(registry, storeId, "store", "history");
  expect(code).toBe(0);
  const [newest = "", oldest = ""] = out.split("\n");
  expect(newest).toMatch(/^\S+Z {2}plan\.set +ben {2}plan=basic$/);
  expect(oldest).toContain("store.created");
});
