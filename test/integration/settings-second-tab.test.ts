import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { OwnerDisplay } from "#gen/registry/v1/store_admin_service_pb.js";
import { inStore } from "../harness/in-store.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { type BrowserSession, openBrowserSession } from "../harness/settings-browser.ts";

const rig = await sharedPagesRig();

/** Reads the entries of the first form for the action from a page, as a browser would send them. */
function entriesOf(page: string, action: string): Record<string, string> {
  const form = page.split("<form").find((part) => part.includes(`name="action" value="${action}"`)) ?? "";
  const entries = new Map<string, string>();
  for (const [tag] of form.matchAll(/<input[^>]*>/g)) {
    const [, name = ""] = /name="([^"]*)"/.exec(tag) ?? [];
    if (tag.includes('type="radio"') && !tag.includes(" checked")) continue;
    entries.set(name, /value="([^"]*)"/.exec(tag)?.[1] ?? "");
  }
  for (const [, name = "", options = ""] of form.matchAll(/<select[^>]* name="([^"]*)"[^>]*>(.*?)<\/select>/gs))
    entries.set(name, /value="([^"]*)" selected/.exec(options)?.[1] ?? "");
  return Object.fromEntries(entries);
}

async function openTab(merchant: BrowserSession, path = "/store") {
  return entriesOf(await (await merchant.get(path)).text(), "save");
}

test("a form of the appearance page does not revert what a second tab has saved", async () => {
  const storeId = await createPageStore(rig);
  const merchant = await openBrowserSession(rig, storeId);
  const [first, second] = [await openTab(merchant), await openTab(merchant)];
  await merchant.save("/store", { ...first, owner: "name", name: "Oak Press" });
  await merchant.save("/store", { ...second, edition: "no_of" });
  const { store } = await rig.registry.admin.getStore({}, inStore(storeId));
  expect(store).toMatchObject({ displayName: "Oak Press", ownerDisplay: OwnerDisplay.NAME });
  expect(await openTab(merchant)).toMatchObject({ name: "Oak Press", owner: "name", edition: "no_of" });
});

test("a field that both tabs have changed is refused once, and keeps the entries", async () => {
  const storeId = await createPageStore(rig);
  const merchant = await openBrowserSession(rig, storeId);
  const [first, second] = [await openTab(merchant), await openTab(merchant)];
  await merchant.save("/store", { ...first, name: "Oak Press", owner: "name" });
  const refused = await merchant.submit("/store", { ...second, name: "Linden Shop", edition: "no_of" });
  expect(refused.status).toBe(200);
  const page = await refused.text();
  expect(page).toContain("this setting has been changed to: Oak Press.");
  const again = entriesOf(page, "save");
  expect(again).toMatchObject({ name: "Linden Shop", edition: "no_of" });
  await merchant.save("/store", again);
  expect(await openTab(merchant)).toMatchObject({ name: "Linden Shop", owner: "name", edition: "no_of" });
});

test("of tabs that save different fields at the same moment, none loses its change", async () => {
  const storeId = await createPageStore(rig);
  const merchant = await openBrowserSession(rig, storeId);
  const opened = await openTab(merchant);
  const changes = [{ owner: "name" }, { edition: "no_of" }, { language: "ja" }, { name: "Oak Press" }];
  const saved = await Promise.all(changes.map((change) => merchant.post("/store", { ...opened, ...change })));
  expect(saved.map(({ headers }) => headers.get("location"))).toEqual(changes.map(() => "/settings/store?done=saved"));
  expect(await openTab(merchant)).toMatchObject(Object.assign({}, ...changes));
});

test("of tabs that save the same field at the same moment, one is refused and sees the other's value", async () => {
  const storeId = await createPageStore(rig);
  const merchant = await openBrowserSession(rig, storeId);
  const opened = await openTab(merchant);
  const names = ["Oak Press", "Ash Press"];
  const saved = await Promise.all(names.map((name) => merchant.submit("/store", { ...opened, name })));
  const refused = saved.filter(({ status }) => status === 200);
  expect(refused).toHaveLength(1);
  const { name } = await openTab(merchant);
  expect(await refused[0]?.text()).toContain(`this setting has been changed to: ${name}.`);
});

test("a form with the URL of a webhook that a second tab has removed does not set it up again", async () => {
  const storeId = await createPageStore(rig);
  const merchant = await openBrowserSession(rig, storeId);
  await rig.registry.admin.setWebhook({ url: "https://one.example.test/hook" }, inStore(storeId));
  const opened = await openTab(merchant, "/webhook");
  await rig.registry.admin.setWebhook({ url: "" }, inStore(storeId));
  const page = await (await merchant.submit("/webhook", { ...opened, format: "v1" })).text();
  expect(page).toContain("this setting has been changed to:");
  expect((await rig.registry.admin.getWebhook({}, inStore(storeId))).webhook).toBeUndefined();
  await merchant.save("/webhook", entriesOf(page, "save"));
  expect(await openTab(merchant, "/webhook")).toMatchObject({ url: opened.url, format: "v1" });
});

test("the registry refuses a change of settings in another version than the expected one", async () => {
  const { admin } = rig.registry;
  const storeId = await createPageStore(rig);
  const { store } = await admin.updateSettings({ displayName: "Oak Press", expectedVersion: 0 }, inStore(storeId));
  expect(store?.settingsVersion).toBe(1);
  const late = admin.updateSettings({ displayName: "Ash Press", expectedVersion: 0 }, inStore(storeId));
  await expect(late).rejects.toMatchObject({ code: Code.AlreadyExists });
  expect((await admin.getStore({}, inStore(storeId))).store).toMatchObject({
    displayName: "Oak Press",
    settingsVersion: 1,
  });
});

test("of tabs that save the webhook at the same moment, none loses its change, and a conflict shows the other value", async () => {
  const storeId = await createPageStore(rig);
  const merchant = await openBrowserSession(rig, storeId);
  const url = "https://one.example.test/hook";
  await rig.registry.admin.setWebhook({ url }, inStore(storeId));
  const opened = await openTab(merchant, "/webhook");
  const other = "https://two.example.test/hook";
  const changes = [{ url: other }, { format: "v1" }];
  const saved = await Promise.all(changes.map((change) => merchant.post("/webhook", { ...opened, ...change })));
  expect(saved.map(({ headers }) => headers.get("location"))).toEqual(
    changes.map(() => "/settings/webhook?done=saved"),
  );
  expect(await openTab(merchant, "/webhook")).toMatchObject({ url: other, format: "v1" });
  const late = { ...opened, url: "https://late.example.test/hook" };
  const page = await (await merchant.submit("/webhook", late)).text();
  expect(page).toContain(`this setting has been changed to: ${other}.`);
  await merchant.save("/webhook", entriesOf(page, "save"));
  expect(await openTab(merchant, "/webhook")).toMatchObject({ url: late.url, format: "v1" });
});
