import { expect, test } from "vitest";
import { EditionStyle, Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { expectNothingChanged } from "../harness/expect-nothing-changed.ts";
import { inStore } from "../harness/in-store.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { runCertctl } from "../harness/run-certctl.ts";
import { createTestStore, testWebhookUrl } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const certctl = (...args: string[]) => runCertctl("--registry", registry.address, ...args);

async function storeOf(storeId: string) {
  const { store } = await registry.admin.getStore({}, inStore(storeId));
  return store;
}

test("store create creates a store with the given settings and prints its id", async () => {
  const settings = ["--plan", "pro", "--edition-style", "no-of", "--language", "de"];
  const { code, out } = await certctl("store", "create", "new.example", ...settings);
  expect(code).toBe(0);
  expect(await storeOf(out.trim())).toMatchObject({
    shop: "new.example",
    plan: Plan.PRO,
    editionStyle: EditionStyle.NO_OF,
    language: "de",
    verifyBaseUrl: "",
  });
});

test("store create exits with 1 and changes nothing when a store with the same domain already exists", async () => {
  const storeId = await createTestStore(registry);
  const shop = (await storeOf(storeId))?.shop ?? "";
  await expectNothingChanged(registry.database, async () => {
    expect(await certctl("store", "create", shop, "--plan", "basic", "--language", "fr")).toEqual({
      code: 1,
      out: "",
      error:
        `target: registry ${registry.address}\ncertctl: The store ${shop} already exists (${storeId}); nothing was ` +
        "changed. To change it, run 'certctl settings set' or 'certctl plan set'.\n",
    });
  });
});

test("settings set changes only the given settings and prints the store in the format of store list", async () => {
  const storeId = await createTestStore(registry);
  const set = async (...args: string[]) => (await certctl("--store", storeId, "settings", "set", ...args)).out;
  const { shop } = (await storeOf(storeId)) ?? {};
  const url = "https://verify.example/certificates";
  expect(await set("--edition-style", "zero-padded", "--verify-base-url", url)).toBe(
    `${storeId}  ${shop}  pro  zero-padded  en  ${url}\n`,
  );
  expect(await set("--language", "pt")).toBe(`${storeId}  ${shop}  pro  zero-padded  pt  ${url}\n`);
  const line = `${storeId}  ${shop}  pro  zero-padded  pt  -\n`;
  expect(await set("--verify-base-url", "")).toBe(line);
  expect((await certctl("store", "list")).out).toContain(line);
});

test("settings show prints the store's plan, settings and webhook", async () => {
  const storeId = await createTestStore(registry);
  const { shop } = (await storeOf(storeId)) ?? {};
  const show = async () => (await certctl("--store", storeId, "settings", "show")).out.trimEnd().split("\n");
  const settings = [
    `store            ${shop} (${storeId})`,
    "plan             pro",
    "edition style    number-total",
    "verify base URL  the service's own address",
    "language         en",
    "display name     the store's domain",
    "owner display    nothing",
  ];
  expect(await show()).toEqual([...settings, "webhook          no webhook is set"]);
  await registry.admin.setWebhook({ url: testWebhookUrl }, inStore(storeId));
  expect(await show()).toEqual([
    ...settings,
    `webhook          ${testWebhookUrl}  v2`,
    "                 messages are not signed",
  ]);
});

test.each([
  [[], "Give at least one setting: --edition-style, --verify-base-url, --language, --display-name or --owner-display."],
  [["--language", "xx_"], "--language is invalid: The language must be one of en, de, fr, es, it, pt, nl, ja\\."],
])("settings set %j is refused with one sentence", async (args, sentence) => {
  const storeId = await createTestStore(registry);
  expect(await certctl("--store", storeId, "settings", "set", ...args)).toEqual({
    code: 2,
    out: "",
    error: expect.stringMatching(new RegExp(`(^|\n)certctl: ${sentence}\n$`)),
  });
});
