import { timestampDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { ClaimDecision, SecretRole, WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import { RotationStep } from "#gen/registry/v1/store_admin_service_pb.js";
import { inStore } from "../harness/in-store.ts";
import { openKeyFolder } from "../harness/key-files.ts";
import { metricValues } from "../harness/metric-values.ts";
import { refusalOf } from "../harness/refusal-of.ts";
import { openTestRegistry, type TestRegistry } from "../harness/registry-fixture.ts";
import { claimOne, newClaim, signedWith } from "../harness/signed-with.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { createStoreWithWebhook, createTestStore, testWebhookUrl } from "../harness/test-stores.ts";

const database = await openTestDatabase();
const { stores, deliveries } = database.collections;
const registry = await openTestRegistry({ database });
const replica = await openTestRegistry({ database });
const { admin } = registry;
const { BEGIN, SWITCH, FINISH, CANCEL } = RotationStep;
const { ACTIVE, NEXT, PREVIOUS } = SecretRole;
const url = testWebhookUrl;

const signedStore = () => createStoreWithWebhook(registry, { createSecret: true });

const rotate = (storeId: string, step: RotationStep, by = admin) => by.rotateWebhookSecret({ step }, inStore(storeId));

const rolesOf = async (storeId: string) =>
  (await admin.getWebhook({}, inStore(storeId))).webhook?.secrets.map(({ role }) => role);

describe("a secret rotation", () => {
  test("makes both secrets sign messages from BEGIN to FINISH, and returns the new secret only at BEGIN", async () => {
    const { storeId, secret: old } = await signedStore();
    const { secret: fresh } = await rotate(storeId, BEGIN);
    expect(fresh).toMatch(/^crs_[0-9a-z]{52}$/);
    expect(fresh).not.toBe(old);
    expect(await signedWith(registry, storeId)).toEqual([old, NEXT, fresh]);
    expect(await rolesOf(storeId)).toEqual([ACTIVE, NEXT]);

    const switched = await rotate(storeId, SWITCH);
    expect(switched.secret).toBe("");
    expect(switched.webhook?.secrets.map(({ role }) => role)).toEqual([ACTIVE, PREVIOUS]);
    expect(await signedWith(registry, storeId)).toEqual([fresh, PREVIOUS, old]);

    await rotate(storeId, FINISH);
    expect(await signedWith(registry, storeId)).toEqual([fresh]);
    expect(await rolesOf(storeId)).toEqual([ACTIVE]);
  });

  test("keeps the active secret when it is cancelled, and can begin again", async () => {
    const { storeId, secret } = await signedStore();
    const { secret: dropped } = await rotate(storeId, BEGIN);
    await rotate(storeId, CANCEL);
    expect(await signedWith(registry, storeId)).toEqual([secret]);
    expect((await rotate(storeId, BEGIN)).secret).not.toBe(dropped);
  });

  test("shows when each secret was created but no part of its value", async () => {
    const { storeId, secret } = await signedStore();
    await rotate(storeId, BEGIN);
    const { webhook } = await admin.getWebhook({}, inStore(storeId));
    expect(webhook).toMatchObject({ url });
    const times = webhook?.secrets.map(({ createdAt }) => createdAt && timestampDate(createdAt).getTime());
    for (const time of times ?? []) expect(Math.abs(Date.now() - (time ?? 0))).toBeLessThan(60_000);
    expect(times).toEqual(times?.toSorted());
    const shown = JSON.stringify(webhook, (_key, value) => (typeof value === "bigint" ? `${value}` : value));
    expect(shown).not.toContain(secret.slice(6));
    expect(shown).not.toContain("sealed");
  });

  test.each([
    [BEGIN, "switched", "conflict"],
    [SWITCH, "steady", "failed_precondition"],
    [FINISH, "begun", "failed_precondition"],
    [CANCEL, "switched", "failed_precondition"],
  ])("refuses step %i in the rotation state %s and changes nothing", async (step, state, code) => {
    const { storeId } = await signedStore();
    if (state !== "steady") await rotate(storeId, BEGIN);
    if (state === "switched") await rotate(storeId, SWITCH);
    const before = await stores.findOne({ _id: storeId });
    expect(await refusalOf(rotate(storeId, step))).toMatchObject({ code });
    expect(await stores.findOne({ _id: storeId })).toEqual(before);
  });

  test("is refused without a store, a webhook or a secret", async () => {
    expect(await refusalOf(rotate("sto_none", BEGIN))).toMatchObject({ code: "not_found" });
    const storeId = await createTestStore(registry);
    expect(await refusalOf(rotate(storeId, BEGIN))).toMatchObject({
      code: "failed_precondition",
      message: "No webhook URL is set. Set one to receive messages.",
    });
    await admin.setWebhook({ url }, inStore(storeId));
    expect(await refusalOf(rotate(storeId, BEGIN))).toMatchObject({
      code: "failed_precondition",
      message: expect.stringContaining("not signed"),
    });
  });

  test("begins once under concurrent requests, and the other requests are refused with conflict", async () => {
    const { storeId, secret: old } = await signedStore();
    const calls = Array.from({ length: 12 }, (_, index) => rotate(storeId, BEGIN, index % 2 ? admin : replica.admin));
    const settled = await Promise.allSettled(calls);
    const [begun, ...others] = settled.flatMap((call) => (call.status === "fulfilled" ? [call.value] : []));
    expect(others).toEqual([]);
    expect(await signedWith(registry, storeId)).toEqual([old, NEXT, begun?.secret]);
    for (const call of calls.filter((_, index) => settled[index]?.status === "rejected"))
      expect(await refusalOf(call)).toMatchObject({ code: "conflict" });
  });

  test("performs each step once under concurrent requests", async () => {
    const { storeId } = await signedStore();
    const { secret: fresh } = await rotate(storeId, BEGIN);
    for (const step of [SWITCH, FINISH]) {
      const calls = [admin, replica.admin, admin, replica.admin].map((by) => rotate(storeId, step, by));
      const settled = await Promise.allSettled(calls);
      expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    }
    expect(await signedWith(registry, storeId)).toEqual([fresh]);
  });
});

describe("setWebhook", () => {
  test("ends a rotation immediately and reports the replacement when it creates a secret", async () => {
    const { storeId } = await signedStore();
    await rotate(storeId, BEGIN);
    const { secret, replacedSecret } = await admin.setWebhook({ url, createSecret: true }, inStore(storeId));
    expect(replacedSecret).toBe(true);
    expect(await signedWith(registry, storeId)).toEqual([secret]);
  });

  test("keeps the current secrets and a rotation in progress when it creates no secret", async () => {
    const { storeId, secret } = await signedStore();
    const { secret: fresh } = await rotate(storeId, BEGIN);
    expect((await admin.setWebhook({ url: `${url}2` }, inStore(storeId))).replacedSecret).toBe(false);
    expect(await signedWith(registry, storeId)).toEqual([secret, NEXT, fresh]);
    expect((await admin.getWebhook({}, inStore(storeId))).webhook?.url).toBe(`${url}2`);
  });

  test("keeps the current format when the request has none; the default for a first URL is v2", async () => {
    const storeId = await createTestStore(registry);
    const formatAfter = async (request: { url: string; format?: WebhookFormat }) =>
      (await admin.setWebhook(request, inStore(storeId))).webhook?.format;
    expect(await formatAfter({ url })).toBe(WebhookFormat.V2);
    expect(await formatAfter({ url, format: WebhookFormat.V1 })).toBe(WebhookFormat.V1);
    expect(await formatAfter({ url: `${url}2` })).toBe(WebhookFormat.V1);
    await admin.setWebhook({ url: "" }, inStore(storeId));
    expect(await formatAfter({ url })).toBe(WebhookFormat.V2);
  });

  test("returns the changed configuration, or no webhook after its removal", async () => {
    const { storeId } = await signedStore();
    const { webhook } = await admin.setWebhook({ url: `${url}2` }, inStore(storeId));
    expect(webhook).toMatchObject({ url: `${url}2`, secrets: [{ role: ACTIVE }] });
    expect(webhook).toEqual((await admin.getWebhook({}, inStore(storeId))).webhook);
    expect((await admin.setWebhook({ url: "" }, inStore(storeId))).webhook).toBeUndefined();
  });

  test("reports no replacement for a first secret, and deletes the secrets with the webhook", async () => {
    const storeId = await createTestStore(registry);
    expect((await admin.getWebhook({}, inStore(storeId))).webhook).toBeUndefined();
    expect((await admin.setWebhook({ url, createSecret: true }, inStore(storeId))).replacedSecret).toBe(false);
    await admin.setWebhook({ url: "" }, inStore(storeId));
    expect((await stores.findOne({ _id: storeId }))?.webhook).toBeNull();
  });
});

test("stores no secret in plain text", async () => {
  const { storeId, secret } = await signedStore();
  const { secret: fresh } = await rotate(storeId, BEGIN);
  await rotate(storeId, SWITCH);
  await signedWith(registry, storeId);
  const contents = JSON.stringify(await database.contents());
  expect(contents).toContain("sealed-v1.");
  for (const text of [secret, fresh]) expect(contents).not.toContain(text.slice("crs_".length));
  expect(contents).not.toContain("crs_");
});

describe("an unreadable secret", () => {
  const unreadableCount = async ({ operationsUrl }: TestRegistry) =>
    (await metricValues(operationsUrl, "registry_secrets_unreadable_total"))[""];

  test("delays only the events of its store, which stay unclaimed until the key is available", async ({
    onTestFinished,
  }) => {
    const { storeId, secret } = await signedStore();
    const { storeId: unsigned } = await createStoreWithWebhook(registry);
    const keys = await openKeyFolder(onTestFinished);
    const env = { REGISTRY_SECRET_KEY_FILES: await keys.write("another") };
    const keyless = await openTestRegistry({ database, env }, onTestFinished);
    const claims = [newClaim(storeId), newClaim(unsigned), newClaim(storeId)];
    const claimFrom = async ({ notifier }: TestRegistry) =>
      (await notifier.claimDeliveries({ notifierId: "test", claims })).results;
    const { LATER, SEND, IN_FLIGHT } = ClaimDecision;
    const held = await claimFrom(keyless);
    expect(held.map(({ decision }) => decision)).toEqual([LATER, SEND, LATER]);
    expect(await deliveries.countDocuments({ store: storeId })).toBe(0);
    expect(await unreadableCount(keyless)).toBeGreaterThan(0);
    const results = await claimFrom(registry);
    expect(results.map(({ decision }) => decision)).toEqual([SEND, IN_FLIGHT, SEND]);
    expect(Buffer.from(results[0]?.target?.secret ?? []).toString()).toBe(secret);
  });

  test.each(["another store's secret", "truncated", "in an unknown format", "the next secret"])(
    "never leads to an unsigned or partly signed message if it is %s",
    async (what) => {
      const [one, another] = [await signedStore(), await signedStore()];
      await rotate(one.storeId, BEGIN);
      const copied = (await stores.findOne({ _id: another.storeId }))?.webhook?.secrets?.active.text ?? "";
      const field = what === "the next secret" ? "webhook.secrets.others.0.secret.text" : "webhook.secrets.active.text";
      const texts: Record<string, string> = { truncated: copied.slice(0, -4), "in an unknown format": "x" };
      await stores.updateOne({ _id: one.storeId }, { $set: { [field]: texts[what] ?? copied } });
      expect(await claimOne(registry, one.storeId)).toMatchObject({ decision: ClaimDecision.LATER });
    },
  );

  test("is replaced by setting the webhook with a new secret", async () => {
    const { storeId } = await signedStore();
    await stores.updateOne({ _id: storeId }, { $set: { "webhook.secrets.active.text": "x" } });
    const { secret, replacedSecret } = await admin.setWebhook({ url, createSecret: true }, inStore(storeId));
    expect(replacedSecret).toBe(true);
    expect(await signedWith(registry, storeId)).toEqual([secret]);
  });
});
