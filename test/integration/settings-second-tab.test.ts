import { expect, test } from "vitest";
import { OwnerDisplay } from "#gen/registry/v1/store_admin_service_pb.js";
import { inStore } from "#shared/rpc/scope-metadata.ts";
import { createPageStore, openPagesRig } from "../harness/pages-rig.ts";
import { type BrowserSession, openBrowserSession } from "../harness/settings-browser.ts";

const rig = await openPagesRig();

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

async function openTab(merchant: BrowserSession) {
  return entriesOf(await (await merchant.get("/store")).text(), "save");
}

test("a form of the appearance page does not revert what a second tab has saved", async () => {
  const storeId = await createPageStore(rig);
  const merchant = await openBrowserSession(rig, storeId);
  const [first, second] = [await openTab(merchant), await openTab(merchant)];
  expect((await merchant.post("/store", { ...first, owner: "name", name: "Oak Press" })).status).toBe(303);
  expect((await merchant.post("/store", { ...second, edition: "no_of" })).status).toBe(303);
  const { store } = await rig.registry.admin.getStore({}, inStore(storeId));
  expect(store).toMatchObject({ displayName: "Oak Press", ownerDisplay: OwnerDisplay.NAME });
  expect(await openTab(merchant)).toMatchObject({ name: "Oak Press", owner: "name", edition: "no_of" });
});

test("a field that both tabs have changed is refused once, and keeps the entries", async () => {
  const storeId = await createPageStore(rig);
  const merchant = await openBrowserSession(rig, storeId);
  const [first, second] = [await openTab(merchant), await openTab(merchant)];
  await merchant.post("/store", { ...first, name: "Oak Press", owner: "name" });
  const refused = await merchant.submit("/store", { ...second, name: "Linden Shop", edition: "no_of" });
  expect(refused.status).toBe(200);
  const page = await refused.text();
  expect(page).toContain("has been changed since you opened this page");
  const again = entriesOf(page, "save");
  expect(again).toMatchObject({ name: "Linden Shop", edition: "no_of" });
  expect((await merchant.post("/store", again)).status).toBe(303);
  expect(await openTab(merchant)).toMatchObject({ name: "Linden Shop", owner: "name", edition: "no_of" });
});
