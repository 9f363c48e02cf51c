import { describe, expect, test } from "vitest";
import { WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import { EditionStyle, OwnerDisplay, Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { reason } from "#shared/reasons/reason.ts";
import { reasonText } from "#shared/reasons/reason-text.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { inStore } from "../harness/in-store.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { listAll } from "../harness/public-certificate.ts";
import { type Merchant, merchantBrowsers, notice, send, signIn } from "./merchant.ts";
import { openBrowser } from "./open-browser.ts";

const rig = await sharedPagesRig();
const browser = await openBrowser();
const { registry } = rig;

async function storeOf(storeId: string) {
  return (await registry.admin.getStore({}, inStore(storeId))).store;
}

describe.each(merchantBrowsers)("a merchant on a %s in %s", (_name, language, options) => {
  const text = textsFor(language);

  const open = async () => {
    const storeId = await createPageStore(rig);
    return { storeId, merchant: await signIn(rig, browser, storeId, options) };
  };

  test("sets up, tests and removes the webhook, and creates, rotates and removes its signing secret", async () => {
    const { storeId, merchant } = await open();
    const { page } = merchant;
    const webhookOf = async () => (await registry.admin.getWebhook({}, inStore(storeId))).webhook;
    await merchant.open("/webhook");
    await page.locator("#save-url").fill("https://127.0.0.1:1/hook#part");
    if (!("javaScriptEnabled" in options)) {
      await page.locator("#url-problem", { hasText: reasonText(reason("url_has_fragment"), language) }).waitFor();
      expect(await page.locator("#save-url").getAttribute("aria-invalid")).toBe("true");
    }
    await send(merchant, "save");
    expect(await page.locator(".mistake").innerText()).toContain(text("settings.webhook.urlRefused"));
    expect(await page.locator("#save-url").inputValue()).toBe("https://127.0.0.1:1/hook#part");
    await page.locator("#save-url").fill("https://shop.example.test/hook");
    await send(merchant, "save");
    expect(await notice(merchant)).toBe(text("settings.webhook.done.saved"));
    expect(await webhookOf()).toMatchObject({ url: "https://shop.example.test/hook", format: WebhookFormat.V2 });
    await send(merchant, "create");
    expect(await page.locator("#secret").inputValue()).toMatch(/^crs_/);
    await merchant.open("/webhook");
    await send(merchant, "begin");
    const next = await page.locator("#secret").inputValue();
    expect(next).toMatch(/^crs_/);
    for (const [step, done] of [
      ["cancel", text("settings.webhook.done.discarded")],
      ["begin", undefined],
      ["switch", text("settings.webhook.done.switched")],
      ["finish", text("settings.webhook.done.dropped")],
      ["removeSecret", text("settings.webhook.done.unsigned")],
    ] as const) {
      await merchant.open("/webhook");
      await send(merchant, step);
      if (done !== undefined) expect(await notice(merchant)).toBe(done);
    }
    expect((await webhookOf())?.secrets).toEqual([]);
    await merchant.open("/webhook");
    await send(merchant, "test");
    expect(page.url()).toMatch(/\/webhook\?test=tst_/);
    await merchant.open("/webhook");
    await send(merchant, "remove");
    expect(await webhookOf()).toBeUndefined();
  });

  test("creates, replaces and revokes API keys", async () => {
    const { storeId, merchant } = await open();
    const { page } = merchant;
    const keysOf = async () => (await registry.admin.listApiKeys({}, inStore(storeId))).keys;
    await merchant.open("/keys");
    await send(merchant, "create");
    expect(await page.locator(".mistake").count()).toBe(1);
    await page.locator("#create-label").fill("店舗 <b>");
    await send(merchant, "create");
    const apiKey = await page.locator("#secret").inputValue();
    expect(apiKey).toMatch(/^crk_/);
    expect((await keysOf())[0]?.label).toBe("店舗 <b>");
    await merchant.open("/keys");
    expect(await page.content()).not.toContain(apiKey);
    await send(merchant, "roll");
    expect(await page.locator("#secret").inputValue()).toMatch(/^crk_/);
    expect(await keysOf()).toHaveLength(2);
    for (let left = 1; left >= 0; left--) {
      await merchant.open("/keys");
      await send(merchant, "revoke");
      expect(await keysOf()).toHaveLength(left);
    }
  });

  test("issues, transfers, revokes and reactivates a certificate, and finds it with the search form", async () => {
    const { storeId, merchant } = await open();
    const { page } = merchant;
    const certificateOf = async () => (await listAll(registry, storeId))[0];
    await merchant.open("/certificates/issue");
    await page.locator("#issue-title").fill("Kite Season");
    await page.locator("#issue-email").fill("ada@example");
    await page.locator("#issue-until").fill("2020-01-01");
    await send(merchant, "issue");
    expect(await page.locator(".mistake").count()).toBe(3);
    await page.locator("#issue-buyer").fill("Ada Lovelace");
    await page.locator("#issue-email").fill("ada@example.test");
    await page.locator("#issue-until").fill("2076-03-14");
    await send(merchant, "issue");
    const certificate = await certificateOf();
    expect(certificate).toMatchObject({ status: "active", expiresAt: "2076-03-14T23:59:59.999Z" });
    expect(page.url()).toContain(`/certificates/${certificate?.id}`);
    await openDisclosure(merchant, "transfer");
    await page.locator("#transfer-name").fill("Grace Hopper");
    await page.locator("#transfer-email").fill("grace@example.test");
    await send(merchant, "transfer");
    const asked = text("settings.certificate.transferQuestion", { name: "Grace Hopper", email: "grace@example.test" });
    expect(await page.locator("form .banner.warn").innerText()).toBe(asked);
    expect((await certificateOf())?.owner.name).toBe("Ada Lovelace");
    expect(await buttonOf(merchant, "transfer")).toBe(text("settings.certificate.transferNow"));
    await send(merchant, "transfer");
    expect((await certificateOf())?.owner).toEqual({ name: "Grace Hopper", email: "grace@example.test" });
    await openDisclosure(merchant, "revoke");
    await page.locator("#revoke-reason").fill("失くした");
    await send(merchant, "revoke");
    expect((await certificateOf())?.status).toBe("active");
    expect(await page.locator("#revoke-reason").inputValue()).toBe("失くした");
    expect(await buttonOf(merchant, "revoke")).toBe(text("settings.certificate.revokeNow"));
    await send(merchant, "revoke");
    expect(await certificateOf()).toMatchObject({ status: "revoked", revokedReason: "失くした" });
    await send(merchant, "reactivate");
    expect((await certificateOf())?.status).toBe("active");
    const { entries } = await registry.inspection.getHistory(
      { certificateId: certificate?.id ?? "" },
      inStore(storeId),
    );
    expect(new Set(entries.map(({ actor }) => actor))).toEqual(new Set(["Ada Lovelace"]));
    await merchant.open("/certificates");
    await page.locator("#filter-q").fill("GRACE@example.test");
    await page.locator("form[role=search] button").click();
    await page.waitForURL(/q=/);
    expect(await page.locator(".rows > li").count()).toBe(1);
    await page.locator("#filter-q").fill("#1042");
    await page.locator("form[role=search] button").click();
    await page.waitForURL(/q=%231042/);
    expect(await page.locator(".rows > li").count()).toBe(0);
  });

  test("changes the appearance and the plan, closes a report, and sees the changes in the history", async () => {
    const { storeId, merchant } = await open();
    const { page } = merchant;
    await merchant.open("/store");
    await page.locator("#save-name").fill("Linden & Söhne");
    await page.locator("#save-language").selectOption("ja");
    await page.locator("input[name=owner][value=initials]").check();
    await page.locator("input[name=edition][value=no_of]").check();
    await page.locator("#save-links").fill("https://linden.example.test/verify");
    await send(merchant, "save");
    expect(await storeOf(storeId)).toMatchObject({
      displayName: "Linden & Söhne",
      language: "ja",
      verifyBaseUrl: "https://linden.example.test/verify",
      ownerDisplay: OwnerDisplay.INITIALS,
      editionStyle: EditionStyle.NO_OF,
    });
    await merchant.open("/plan");
    await send(merchant, "toBasic");
    expect((await storeOf(storeId))?.plan).toBe(Plan.BASIC);
    const { linkToken } = await rig.issue(storeId);
    await registry.verification.reportProblem({ linkToken, content: "破れています" });
    await merchant.open("/reports");
    expect(await page.locator(".message").innerText()).toBe("破れています");
    await send(merchant, "close");
    expect((await registry.inspection.listReports({}, inStore(storeId))).reports[0]?.closedBy).toBe("Ada Lovelace");
    await merchant.open("/history");
    expect(await page.locator(".rows > li").count()).toBe(6);
    expect(await page.locator("h1").innerText()).toBe(text("settings.shell.sections.history"));
  });
});

async function openDisclosure({ page }: Merchant, action: string): Promise<void> {
  const form = page.locator(`form:has(input[name=action][value=${action}])`);
  await page.locator("details.disclosure").filter({ has: form }).locator("summary").click();
}

/** Returns the text of the button that sends the form for an action. */
function buttonOf({ page }: Merchant, action: string): Promise<string> {
  return page.locator(`form:has(input[name=action][value=${action}]) button[type=submit]`).innerText();
}
