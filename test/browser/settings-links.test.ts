import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
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
    await follow(page, ".languages a[lang=fr]");
    await follow(page, ".actions a");
    await follow(page, ".languages a[lang=nl]");
    await follow(page, ".actions a");
    expect(page.url()).toContain(`${certificate.url}?lang=nl`);
    expect(await page.locator("h1").innerText()).toBe("Certificaat van echtheid");
    expect(await eventsOf(rig, certificateId)).toEqual([EventType.ISSUED]);
    expect(merchant.problems).toEqual([]);
    await merchant.close();

    const buyer = await openPage(browser, { javaScriptEnabled: scripts });
    await buyer.visit(`${certificate.url}?lang=nl`);
    expect(await eventsOf(rig, certificateId)).toEqual([EventType.ISSUED, EventType.VERIFIED]);
    await buyer.close();
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
  await merchant.close();
});

test("the report form's label and the link of its mistake lead to the description", async () => {
  const { url } = await rig.issue(storeId);
  const { page, close } = await openPage(browser);
  await page.goto(`${url}/report?lang=en`);
  await page.locator("label", { hasText: "Description" }).click();
  const focused = "document.activeElement.localName";
  expect(await page.evaluate(focused)).toBe("textarea");
  await page.locator("button[type=submit]").click();
  await page.locator(".mistakes a", { hasText: "Describe the problem" }).click();
  expect(await page.evaluate(focused)).toBe("textarea");
  await close();
});
