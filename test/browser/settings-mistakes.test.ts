import { expect, test } from "vitest";
import { textsFor } from "#shared/texts/texts.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { listAll } from "../harness/public-certificate.ts";
import { notice, send, signIn } from "./merchant.ts";
import { openBrowser } from "./open-browser.ts";
import { viewports } from "./pages-in-browser.ts";

const rig = await sharedPagesRig();
const browser = await openBrowser();

/** Opens a page of a new store's settings. */
async function open(path: string, locale: string) {
  const storeId = await createPageStore(rig);
  const merchant = await signIn(rig, browser, storeId, { ...viewports.phone, locale });
  await merchant.open(path);
  return { merchant, storeId };
}

test("a date without a year, or of a day that does not exist, is a mistake, not an empty date", async () => {
  const { merchant, storeId } = await open("/certificates/issue", "en-US");
  const { page } = merchant;
  await page.locator("#issue-title").fill("Kite Season");
  await page.locator("#issue-buyer").fill("Ada Lovelace");
  await page.locator("#issue-email").fill("ada@example.test");
  const until = page.locator("#issue-until");
  // Chromium orders month, day and year as in its own language, English.
  for (const keys of ["1203", "02312030"]) {
    await until.fill("");
    await until.pressSequentially(keys);
    await page.locator("main form button[type=submit]").click();
    expect(await page.locator("#issue-until-mistake").innerText()).toBe(textsFor("en")("settings.words.dateInvalid"));
    expect(await page.evaluate("document.activeElement.id")).toBe("issue-until");
  }
  expect(await until.getAttribute("aria-describedby")).toBe("issue-until-hint issue-until-mistake");
  expect(await listAll(rig.registry, storeId)).toEqual([]);
  await merchant.inspect();
  await until.pressSequentially("03142076");
  await send(merchant, "issue");
  expect((await listAll(rig.registry, storeId))[0]).toMatchObject({ expiresAt: "2076-03-14T23:59:59.999Z" });
  expect(merchant.problems).toEqual([]);
});

test("the dates of a storefront rule and of the log filter are checked in the language of the page", async () => {
  const { merchant } = await open("/storefront?done=added", "de");
  const { page } = merchant;
  await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
  await page.locator("input[type=date][name=since]").pressSequentially("5");
  expect(await page.locator(".banner.good").count()).toBe(1);
  await page.locator("form:has(input[type=date]) button[type=submit]").click();
  expect(await page.locator(".mistake").innerText()).toBe(textsFor("de")("settings.words.dateInvalid"));
  expect(await page.locator(".banner.good").count()).toBe(0);
  await merchant.open("/deliveries");
  await page.locator("#filter-since").pressSequentially("5");
  await page.locator("#filter-until").pressSequentially("5");
  await page.locator("form[role=search] button").click();
  expect(await page.locator(".mistake").allInnerTexts()).toEqual([
    textsFor("de")("settings.words.dateInvalid"),
    textsFor("de")("settings.words.dateInvalid"),
  ]);
  await merchant.inspect();
  await page.locator("#filter-since").fill("2026-01-31");
  await page.locator("form[role=search] button").click();
  expect(await page.locator(".mistake:visible").count()).toBe(1);
  await page.locator("#filter-until").fill("2026-02-28");
  await page.locator("form[role=search] button").click();
  await page.waitForURL(/since=2026-01-31&until=2026-02-28/);
});

test("the page that has created a sample says so at its top, with a link to the sample", async () => {
  const { merchant } = await open("/store", "de");
  const { page } = merchant;
  await page.locator("#sample-title").fill("Kite Season");
  await send(merchant, "sample");
  expect(await notice(merchant)).toContain(textsFor("de")("settings.store.sampleCreated"));
  expect(await page.locator(".banner.good a").getAttribute("href")).toMatch(/^\/verify\/smp_/);
  await merchant.inspect();
});
