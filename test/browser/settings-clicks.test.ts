import { expect, test } from "vitest";
import { RuleSelector } from "#gen/registry/v1/storefront_service_pb.js";
import { inStore } from "../harness/in-store.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { testWebhookUrl } from "../harness/test-stores.ts";
import { signIn } from "./merchant.ts";
import { openBrowser } from "./open-browser.ts";
import { viewports } from "./pages-in-browser.ts";

const rig = await sharedPagesRig();
const browser = await openBrowser();
const { registry } = rig;

test("a merchant's five main tasks take ten clicks together", async () => {
  const storeId = await createPageStore(rig);
  const { certificateId } = await rig.issue(storeId, { product: { title: "Double Vase", sku: "" } });
  await registry.admin.setWebhook({ url: testWebhookUrl }, inStore(storeId));
  const all = { name: "all", selector: RuleSelector.ALL };
  await registry.storefront.setStorefrontRules({ rules: [all] }, inStore(storeId));
  const merchant = await signIn(rig, browser, storeId, { ...viewports.desktop, locale: "en" });
  const { page } = merchant;
  let clicks = 0;
  const click = async (name: string | RegExp, role: "link" | "button" = "button") => {
    clicks++;
    await page
      .getByRole(role, { name, exact: typeof name === "string" })
      .first()
      .click();
    await page.waitForLoadState();
  };
  const counted = async (task: () => Promise<void>) => {
    clicks = 0;
    await task();
    return clicks;
  };

  const find = await counted(async () => {
    await click("Certificates", "link");
    await click(/Double Vase/, "link");
    await click("Copy link");
    expect(await page.locator("#owner-link").inputValue()).toContain("/verify/");
    expect(page.url()).toContain(certificateId);
  });
  await merchant.open("");
  const issue = await counted(async () => {
    await click("Issue certificate", "link");
    await page.locator("#issue-title").fill("Kite Season");
    await page.locator("#issue-buyer").fill("Ada Lovelace");
    await page.locator("#issue-email").fill("ada@example.test");
    await click("Issue certificate");
    await page.locator(".banner.good").waitFor();
  });
  const createKey = await counted(async () => {
    await click("API keys", "link");
    await page.locator("#create-label").fill("Warehouse");
    await click("Create API key");
    await page.locator("#secret").waitFor();
  });
  const addRule = await counted(async () => {
    await click("Storefront", "link");
    await page.locator("input[name=selector][value=tag]").check();
    await page.locator("#add-value").fill("limited");
    await click("Add rule");
    await page.locator(".banner.good").waitFor();
  });
  const { rules } = await registry.storefront.getStorefront({}, inStore(storeId));
  expect(rules.map(({ value }) => value)).toEqual(["limited", ""]);
  await merchant.open("/webhook");
  const testWebhook = await counted(async () => {
    await click("Send test message");
    await page.locator("#arrival").waitFor();
  });
  const tasks = { find, issue, createKey, addRule, testWebhook };
  expect(tasks).toEqual({ find: 3, issue: 2, createKey: 2, addRule: 2, testWebhook: 1 });
});
