import { randomBytes } from "node:crypto";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { expect, onTestFinished, test } from "vitest";
import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { systemClock } from "#shared/time/clock.ts";
import { expectNothingChanged } from "../harness/expect-nothing-changed.ts";
import { inStore } from "../harness/in-store.ts";
import { issueOne } from "../harness/issue-items.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { runCertctlFor } from "../harness/run-certctl.ts";
import { openSettingsSession, signInLink } from "../harness/settings-session.ts";
import { openTestPlatform } from "../harness/test-platform.ts";
import { createTestStore } from "../harness/test-stores.ts";

let skippedMs = 0;
const clock = { ...systemClock, now: () => Date.now() + skippedMs };
const registry = await openTestRegistry({ overrides: { databaseClock: clock } });
const { settings } = registry;

const unauthenticated = { code: Code.Unauthenticated };

async function storeHistoryOf(storeId: string) {
  const { entries } = await registry.inspection.listStoreHistory({}, inStore(storeId));
  return entries.map(({ action, actor }) => [action, actor]);
}

test("a sign-in link opens one session, for the link's store and actor", async () => {
  const storeId = await createTestStore(registry, { displayName: "Linden Press", language: "ja" });
  const link = await signInLink(registry, storeId, "Ada");
  const { sessionToken, expiresAt } = await settings.session.openSession(link);
  const session = await settings.session.getSession({}, { headers: { "x-session": sessionToken } });
  expect(session).toMatchObject({ storeName: "Linden Press", language: "ja", actor: "Ada", expiresAt });
  await expect(settings.session.openSession(link)).rejects.toMatchObject(unauthenticated);
  expect(await storeHistoryOf(storeId)).toEqual([
    ["session.opened", "Ada"],
    ["settings_link.created", "unknown"],
    ["store.created", "unknown"],
  ]);
});

test.each(["ada@example.test", "Ada <ada@example.test>", 'Ada "ada@example.test"'])(
  "refuses to create a link for the actor %j: e-mail addresses must not appear in logs and histories",
  async (actor) => {
    const storeId = await createTestStore(registry);
    await expect(signInLink(registry, storeId, actor)).rejects.toMatchObject({ code: Code.InvalidArgument });
  },
);

test("of simultaneous sign-ins with one link, exactly one succeeds", async () => {
  const link = await signInLink(registry, await createTestStore(registry));
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => settings.session.openSession(link)));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("a change in a session affects only the session's store, and the history shows the session's actor", async () => {
  const storeId = await createTestStore(registry);
  const other = await createTestStore(registry);
  const headers = await openSettingsSession(registry, storeId, "Ada");
  await settings.stores.setPlan({ plan: Plan.BASIC }, { headers });
  await settings.stores.createApiKey({ label: "shop" }, { headers });
  expect((await settings.stores.getStore({}, { headers })).store).toMatchObject({ id: storeId, plan: Plan.BASIC });
  expect((await storeHistoryOf(storeId)).slice(0, 2)).toEqual([
    ["key.created", "Ada"],
    ["plan.set", "Ada"],
  ]);
  expect(await storeHistoryOf(other)).toHaveLength(1);
  const { store } = await registry.admin.getStore({}, inStore(other));
  expect(store?.plan).toBe(Plan.PRO);
});

test("a header that names another actor has no effect in a session", async () => {
  const storeId = await createTestStore(registry);
  const headers = { ...(await openSettingsSession(registry, storeId, "Ada")), "x-actor": "root" };
  await settings.stores.setPlan({ plan: Plan.BASIC }, { headers });
  expect((await storeHistoryOf(storeId))[0]).toEqual(["plan.set", "Ada"]);
});

test("a session can neither read nor change another store's certificate", async () => {
  const headers = await openSettingsSession(registry, await createTestStore(registry));
  const certificateId = await issueOne(registry, await createTestStore(registry));
  await expectNothingChanged(registry.database, async () => {
    const notFound = { code: Code.NotFound };
    const by = { case: "certificateId", value: certificateId } as const;
    const { inspection, lifecycle } = settings;
    await expect(inspection.getCertificate({ by }, { headers })).rejects.toMatchObject(notFound);
    await expect(inspection.getHistory({ certificateId }, { headers })).rejects.toMatchObject(notFound);
    await expect(lifecycle.revokeCertificate({ certificateId, cause: 3 }, { headers })).rejects.toMatchObject(notFound);
  });
});

test.each(["", "cst_unknown"])("calls with the session token %j are refused", async (token) => {
  const headers = { "x-session": token };
  await expect(settings.stores.getStore({}, { headers })).rejects.toMatchObject(unauthenticated);
  await expect(settings.session.getSession({}, { headers })).rejects.toMatchObject(unauthenticated);
  await expect(settings.stores.checkWebhookUrl({}, { headers })).rejects.toMatchObject(unauthenticated);
});

test("a session ends when it is closed, or when an operator revokes the store's sessions", async () => {
  const storeId = await createTestStore(registry);
  const [first, second] = [await openSettingsSession(registry, storeId), await openSettingsSession(registry, storeId)];
  await settings.session.closeSession({ sessionToken: first["x-session"] });
  await expect(settings.stores.getStore({}, { headers: first })).rejects.toMatchObject(unauthenticated);
  await settings.stores.getStore({}, { headers: second });
  const unused = await signInLink(registry, storeId);
  expect(await registry.admin.revokeSessions({}, inStore(storeId))).toMatchObject({ revokedCount: 1 });
  await expect(settings.stores.getStore({}, { headers: second })).rejects.toMatchObject(unauthenticated);
  await expect(settings.session.openSession(unused)).rejects.toMatchObject(unauthenticated);
});

test("a sign-in link expires after 15 minutes, and a session at its expiresAt", async () => {
  const storeId = await createTestStore(registry);
  const unused = await signInLink(registry, storeId);
  const { sessionToken, expiresAt } = await settings.session.openSession(await signInLink(registry, storeId));
  if (expiresAt === undefined) throw new Error("the response contains no expiry");
  const headers = { "x-session": sessionToken };
  try {
    skippedMs = 15 * 60_000;
    await expect(settings.session.openSession(unused)).rejects.toMatchObject(unauthenticated);
    skippedMs = timestampDate(expiresAt).getTime() - Date.now() - 60_000;
    await settings.stores.getStore({}, { headers });
    skippedMs += 60_001;
    await expect(settings.stores.getStore({}, { headers })).rejects.toMatchObject(unauthenticated);
  } finally {
    skippedMs = 0;
  }
});

test("neither a session's token nor a link's secret is stored", async () => {
  const link = await signInLink(registry, await createTestStore(registry));
  const secret = link.proof.value;
  expect(JSON.stringify(await registry.database.contents())).not.toContain(secret);
  const { sessionToken } = await settings.session.openSession(link);
  expect(JSON.stringify(await registry.database.contents())).not.toContain(sessionToken);
});

test("a token issued by the storefront platform opens one session for the token's store", async () => {
  const { variables, sign } = await openTestPlatform(onTestFinished);
  const platform = await openTestRegistry(
    {
      database: registry.database,
      env: variables,
    },
    onTestFinished,
  );
  const shop = `shop-${randomBytes(6).toString("hex")}.example.test`;
  await createTestStore(registry, { shop });
  const proof = { case: "platformToken", value: await sign(shop) } as const;
  const { sessionToken } = await platform.settings.session.openSession({ proof });
  const headers = { "x-session": sessionToken };
  expect(await settings.session.getSession({}, { headers })).toMatchObject({ shop, actor: "platform user 42" });
  const refused = [
    platform.settings.session.openSession({ proof }),
    platform.settings.session.openSession({ proof: { ...proof, value: await sign("unknown.example.test") } }),
    // No platform is configured for this registry.
    settings.session.openSession({ proof: { ...proof, value: await sign(shop) } }),
  ];
  const rawMessage = expect.stringContaining("session token");
  await Promise.all(refused.map((call) => expect(call).rejects.toMatchObject({ ...unauthenticated, rawMessage })));
});

test("certctl creates sign-in links and ends a store's sessions", async () => {
  const storeId = await createTestStore(registry);
  const certctl = (...args: string[]) => runCertctlFor(registry, storeId, ...args);
  const { out } = await certctl("settings", "link", "--for", "Ada");
  expect(out).toMatch(/^https:\/\/verify\.example\.test\/settings\/sign-in\/csl_[\w-]{43}\n$/);
  const value = out.trim().split("/").at(-1) ?? "";
  await settings.session.openSession({ proof: { case: "linkSecret", value } });
  expect(await certctl("settings", "sign-out", "--json")).toMatchObject({ code: 0, out: '{"revokedCount":1}\n' });
});
