import { describe, expect, test } from "vitest";
import { textsFor } from "#shared/texts/texts.ts";
import { inStore } from "../harness/in-store.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { listAll } from "../harness/public-certificate.ts";
import { send, signIn } from "./merchant.ts";
import { openBrowser } from "./open-browser.ts";
import { viewports } from "./pages-in-browser.ts";

const rig = await sharedPagesRig();
const browser = await openBrowser();
const { registry } = rig;
const narrow = { ...viewports.phone, viewport: { width: 320, height: 700 } };

describe.each([
  ["with a script", { ...narrow, locale: "de" }],
  ["without a script", { ...narrow, locale: "de", javaScriptEnabled: false }],
] as const)("in a browser %s", (_name, options) => {
  const open = async () => {
    const storeId = await createPageStore(rig);
    const merchant = await signIn(rig, browser, storeId, options);
    await merchant.open("/certificates/issue");
    return { storeId, merchant, ...merchant };
  };

  test("going back after a corrected mistake and a reload show the page of the form", async () => {
    const { page, merchant, problems } = await open();
    await page.locator("#issue-title").fill("Kite Season");
    await page.locator("#issue-email").fill("ada");
    await send(merchant, "issue");
    expect(await page.locator("#issue-title").inputValue()).toBe("Kite Season");
    expect(await page.locator(".mistake").count()).toBe(2);
    await page.reload();
    expect(await page.locator("#issue-email").inputValue()).toBe("ada");
    if (!("javaScriptEnabled" in options)) await merchant.inspect();
    await page.locator("#issue-buyer").fill("Ada Lovelace");
    await page.locator("#issue-email").fill("ada@example.test");
    await send(merchant, "issue");
    expect(page.url()).toContain("done=issued");
    await page.goBack();
    expect(await page.locator("#issue-title").count()).toBe(1);
    await page.goForward();
    expect(page.url()).toContain("done=issued");
    expect(problems).toEqual([]);
  });

  test("a session that ends in the middle of a form keeps the entries, and signing in continues with them", async () => {
    const text = textsFor("de");
    const { page, merchant, storeId } = await open();
    await page.locator("#issue-title").fill("Kite Season");
    await page.locator("#issue-buyer").fill("Ada Lovelace");
    await page.locator("#issue-email").fill("ada@example.test");
    await registry.admin.revokeSessions({}, inStore(storeId));
    await send(merchant, "issue");
    expect(await page.locator("h1").innerText()).toBe(text("settings.shell.problem.signedOutKept.title"));
    if (!("javaScriptEnabled" in options)) await merchant.inspect();
    const { url } = await registry.admin.createSettingsLink({ actor: "Ada Lovelace" }, inStore(storeId));
    await page.goto(url);
    await page.locator("button[type=submit]").click();
    await page.waitForURL(/\/certificates\/issue\?form=/);
    expect(await page.locator(".banner.warn").innerText()).toBe(text("settings.shell.kept"));
    if (!("javaScriptEnabled" in options)) await merchant.inspect();
    await send(merchant, "issue");
    expect(await listAll(registry, storeId)).toMatchObject([{ owner: { name: "Ada Lovelace" } }]);
  });
});
