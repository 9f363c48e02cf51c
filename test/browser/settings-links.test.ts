import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { RuleSelector } from "#gen/registry/v1/storefront_service_pb.js";
import { textsFor } from "#shared/texts/texts.ts";
import { inStore } from "../harness/in-store.ts";
import { createPageStore, eventsOf, sharedPagesRig } from "../harness/pages-rig.ts";
import { signIn } from "./merchant.ts";
import { openBrowser } from "./open-browser.ts";
import { openPage } from "./pages-in-browser.ts";

const rig = await sharedPagesRig();
const browser = await openBrowser();
const storeId = await createPageStore(rig);

/** Clicks a link, and waits until the page to which it leads has sent its requests. */
async function follow(page: Page, link: string): Promise<void> {
  await Promise.all([page.waitForEvent("load"), page.locator(link).click()]);
  await page.waitForLoadState("networkidle");
}

test.each([
  ["with scripts", true],
  ["without scripts", false],
])(
  "a merchant who opens a certificate's page from the settings is not its first visitor, %s",
  async (_name, scripts) => {
    const certificate = await rig.issue(storeId);
    const { certificateId } = certificate;
    const merchant = await signIn(rig, browser, storeId, { locale: "en", javaScriptEnabled: scripts });
    await merchant.open(`/certificates/${certificateId}`);
    const shownLink = await merchant.page.locator("#owner-link").inputValue();
    expect(shownLink).toContain(certificate.url);
    expect(shownLink).not.toContain("preview");
    const [page] = await Promise.all([
      merchant.page.waitForEvent("popup"),
      merchant.page.locator("a.button[target=_blank]").click(),
    ]);
    await page.waitForLoadState("networkidle");
    // With scripts, the merchant can copy the address for the buyer.
    expect(new URL(page.url()).searchParams.has("preview")).toBe(!scripts);
    await page.goto(`${page.url()}#content`);
    await page.reload();
    await page.waitForLoadState("networkidle");
    await follow(page, ".languages a[lang=fr]");
    await follow(page, ".actions a");
    await follow(page, ".languages a[lang=nl]");
    await follow(page, ".actions a");
    expect(page.url()).toContain(`${certificate.url}?lang=nl`);
    expect(await page.locator("h1").innerText()).toBe("Certificaat van echtheid");
    expect(await eventsOf(rig, certificateId)).toEqual([EventType.ISSUED]);
    expect(merchant.problems).toEqual([]);

    const buyer = await openPage(browser, { javaScriptEnabled: scripts });
    await buyer.visit(`${certificate.url}?lang=nl`);
    expect(await eventsOf(rig, certificateId)).toEqual([EventType.ISSUED, EventType.VERIFIED]);
  },
);

test("switching the language keeps a search, but not the confirmation of an action", async () => {
  for (const title of ["Kite", "Harbour"]) await rig.issue(storeId, { product: { title } });
  const merchant = await signIn(rig, browser, storeId, { locale: "en" });
  const { page } = merchant;
  await merchant.open("/certificates?status=active&done=issued");
  await follow(page, ".languages a[lang=fr]");
  expect(new URL(page.url()).search).toBe("?status=active&lang=fr");
  expect(await page.locator("select[name=status]").inputValue()).toBe("active");
});

test("the report form's label and the link of its mistake lead to the description", async () => {
  const { url } = await rig.issue(storeId);
  const { page } = await openPage(browser);
  await page.goto(`${url}/report?lang=en`);
  await page.locator("label", { hasText: "Description" }).click();
  const focused = "document.activeElement.localName";
  expect(await page.evaluate(focused)).toBe("textarea");
  await page.locator("button[type=submit]").click();
  await page.locator(".mistakes a", { hasText: "Describe the problem" }).click();
  expect(await page.evaluate(focused)).toBe("textarea");
});

test("a page that does not exist leads to the overview, and a used sign-in link to the settings", async () => {
  const merchant = await signIn(rig, browser, storeId, { locale: "en" });
  const { page } = merchant;
  await merchant.open("/certificates/unknown");
  await merchant.inspect();
  await follow(page, ".notice a");
  expect(new URL(page.url()).pathname).toBe("/settings");

  const { url } = await rig.registry.admin.createSettingsLink({ actor: "Ada Lovelace" }, inStore(storeId));
  for (let use = 0; use < 2; use++) {
    await page.goto(url);
    await follow(page, "button[type=submit]");
  }
  expect(await page.locator("h1").innerText()).toBe(textsFor("en")("settings.signIn.refusedTitle"));
  await follow(page, ".notice a");
  expect(new URL(page.url()).pathname).toBe("/settings");
});

test.each([
  ["/webhook", "4. Receive a webhook message"],
  ["/keys", "2. List the first page"],
])("the page %s leads to the part of the documentation that uses its tokens: %s", async (path, part) => {
  const merchant = await signIn(rig, browser, storeId, { locale: "en" });
  await merchant.open(path);
  const [page] = await Promise.all([
    merchant.page.waitForEvent("popup"),
    merchant.page.locator("a[href^='/docs']").click(),
  ]);
  await page.waitForLoadState("networkidle");
  expect(await page.locator("h2:target").innerText()).toBe(part);
});

test("a new rule is for products with a tag if a rule for all products exists", async () => {
  const store = await createPageStore(rig);
  const merchant = await signIn(rig, browser, store, { locale: "en" });
  const chosen = merchant.page.locator("input[name=selector]:checked");
  await merchant.open("/storefront");
  expect(await chosen.inputValue()).toBe("all");
  const rules = [{ name: "all", selector: RuleSelector.ALL }];
  await rig.registry.storefront.setStorefrontRules({ rules }, inStore(store));
  await merchant.open("/storefront");
  expect(await chosen.inputValue()).toBe("tag");
});
