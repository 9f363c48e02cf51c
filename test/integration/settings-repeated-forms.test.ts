import { expect, test } from "vitest";
import { inStore } from "../harness/in-store.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { type BrowserSession, openBrowserSession } from "../harness/settings-browser.ts";
import { testWebhookUrl } from "../harness/test-stores.ts";

const rig = await sharedPagesRig();
const { admin, triggers } = rig.registry;

/**
 * Sends a form twice concurrently, then twice in sequence, with one nonce.
 *
 * @returns the status and the secret of each response, and a function that sends the form with a given nonce
 */
async function secretsShown(merchant: BrowserSession, path: string, fields: Readonly<Record<string, string>>) {
  const send = async (nonce: string) => {
    const response = await merchant.submit(path, { ...fields, nonce, token: merchant.formToken });
    return [response.status, /id="secret"[^>]* value="([^"]+)"/.exec(await response.text())?.[1]];
  };
  const together = await Promise.all([send("nonce-1"), send("nonce-1")]);
  return { together, after: [await send("nonce-1"), await send("nonce-1")], send };
}

test("a form that is sent twice creates one API key, and both responses show it", async () => {
  const storeId = await createPageStore(rig);
  const merchant = await openBrowserSession(rig, storeId);
  const { together, after, send } = await secretsShown(merchant, "/keys", { action: "create", label: "shop" });
  const shown = [200, expect.stringMatching(/^crk_/)];
  expect(together[0]).toEqual(shown);
  expect([...together, ...after]).toEqual(Array(4).fill(together[0]));
  expect((await admin.listApiKeys({}, inStore(storeId))).keys).toHaveLength(1);
  // A new nonce, as if the page had been opened again.
  expect(await send("nonce-2")).toEqual(shown);
  expect((await admin.listApiKeys({}, inStore(storeId))).keys).toHaveLength(2);
});

test("a form that is sent twice replaces a key immediately, and both responses show the same new key", async () => {
  const storeId = await createPageStore(rig);
  const { keyId } = await admin.createApiKey({ label: "shop" }, inStore(storeId));
  const merchant = await openBrowserSession(rig, storeId);
  const fields = { action: "roll", scope: keyId, key: keyId, grace: "0" };
  const { together, after } = await secretsShown(merchant, "/keys", fields);
  expect(together[0]).toEqual([200, expect.stringMatching(/^crk_/)]);
  expect([...together, ...after]).toEqual(Array(4).fill(together[0]));
});

test("forms that are sent twice add one trigger and rotate the trigger's secret once", async () => {
  const storeId = await createPageStore(rig);
  const merchant = await openBrowserSession(rig, storeId);
  const fields = { action: "create", url: testWebhookUrl, format: "profile" };
  const created = await secretsShown(merchant, "/triggers", fields);
  const { triggers: listed } = await triggers.listTriggers({}, inStore(storeId));
  expect(listed).toHaveLength(1);
  const rotation = { action: "rotate", trigger: listed[0]?.triggerId ?? "" };
  const rotated = await secretsShown(merchant, "/triggers", rotation);
  for (const { together, after } of [created, rotated]) {
    expect(together[0]).toEqual([200, expect.any(String)]);
    expect([...together, ...after]).toEqual(Array(4).fill(together[0]));
  }
  expect(rotated.together[0]).not.toEqual(created.together[0]);
});

test("forms that are sent twice create one webhook secret and begin one rotation", async () => {
  const storeId = await createPageStore(rig);
  await admin.setWebhook({ url: testWebhookUrl }, inStore(storeId));
  const merchant = await openBrowserSession(rig, storeId);
  for (const action of ["create", "begin"]) {
    const { together, after } = await secretsShown(merchant, "/webhook", { action });
    expect(together[0]).toEqual([200, expect.stringMatching(/^crs_/)]);
    expect([...together, ...after]).toEqual(Array(4).fill(together[0]));
  }
});

test("a form's nonce can be used again after a mistake, and in another session", async () => {
  const storeId = await createPageStore(rig);
  const merchant = await openBrowserSession(rig, storeId);
  const colleague = await openBrowserSession(rig, storeId);
  const create = (browser: BrowserSession, label: string) =>
    browser.submit("/keys", { action: "create", label, nonce: "nonce-1", token: browser.formToken });
  expect(await (await create(merchant, "")).text()).toContain("data-mistakes");
  for (const browser of [merchant, colleague])
    expect(await (await create(browser, "shop")).text()).toContain('id="secret"');
  expect((await admin.listApiKeys({}, inStore(storeId))).keys).toHaveLength(2);
});
