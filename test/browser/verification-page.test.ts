import type { BrowserContextOptions } from "playwright-core";
import { describe, expect, test } from "vitest";
import { setLargestLogo } from "../harness/largest-logo.ts";
import { createPageStore, openPagesRig } from "../harness/pages-rig.ts";
import { createExamplePages, type ExamplePages } from "./example-certificates.ts";
import { openBrowser } from "./open-browser.ts";
import { accessibilityProblems, openPage, viewports } from "./pages-in-browser.ts";
import { screenshot } from "./screenshots.ts";

const rig = await openPagesRig();
const { registry } = rig;
const examples = await createExamplePages(rig);
const browser = await openBrowser();

const visitors: readonly (readonly [name: string, language: string, BrowserContextOptions])[] = [
  ["phone", "de", viewports.phone],
  ["phone", "ja", viewports.phone],
  ["desktop", "de", viewports.desktop],
  ["desktop", "ja", viewports.desktop],
  ["desktop", "en", viewports.desktop],
  ["desktop-dark", "en", { ...viewports.desktop, colorScheme: "dark" }],
];

// The pages for these visitors differ from the others only in language or colours, so a screenshot of the valid
// certificate is enough.
const alike = ["desktop-de", "desktop-en", "desktop-dark-en", "phone-ja"];

const stateNames: Readonly<Record<string, Readonly<Record<keyof ExamplePages, string>>>> = {
  de: {
    valid: "Gültig",
    revoked: "Widerrufen",
    expired: "Abgelaufen",
    sample: "Muster",
    unknown: "Zertifikat nicht gefunden",
  },
  en: { valid: "Valid", revoked: "Revoked", expired: "Expired", sample: "Sample", unknown: "Certificate not found" },
  ja: { valid: "有効", revoked: "失効", expired: "期限切れ", sample: "見本", unknown: "証明書が見つかりません" },
};

const states = ["valid", "revoked", "expired", "sample", "unknown"] as const;

describe.each(visitors)("on a %s in %s", (name, language, options) => {
  test.each(states)("shows the certificate state '%s' on an accessible page that fits the screen", async (state) => {
    const { page, visit, problems, close } = await openPage(browser, { ...options, locale: language });
    await visit(`${examples[state]}?lang=${language}`);
    const isUnknown = state === "unknown";
    const shown = await page.locator(isUnknown ? "h1" : ".state strong").innerText();
    expect(shown).toBe(stateNames[language]?.[state]);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    if (state === "valid" || !alike.includes(`${name}-${language}`))
      await screenshot(page, `${state}-${name}-${language}`);
    // The page of an unknown certificate has status 404, which the browser logs as an error.
    expect(problems.filter((problem) => !(isUnknown && problem.includes("404")))).toEqual([]);
    await close();
  });
});

test("shows the details of a valid certificate, with dates in the language of the page", async () => {
  const { page, close } = await openPage(browser);
  await page.goto(`${examples.valid}?lang=de`);
  const facts = await page.locator(".details > div").allInnerTexts();
  expect(facts.map((fact) => fact.toLowerCase().split(/\n+/))).toEqual([
    ["zertifikatsnummer", "001042"],
    ["edition", "01/50"],
    ["ausgestellt am", "14. märz 2026"],
    ["gültig bis", "14. märz 2076"],
    ["besitzer", "ada lovelace"],
  ]);
  await page.goto(`${examples.valid}?lang=ja`);
  expect(await page.locator("time").allInnerTexts()).toEqual(["2026年3月14日", "2076年3月14日"]);
  await close();
});

test("loads less than 60 kB over the network, including the font and the logo", async () => {
  const storeId = await createPageStore(rig);
  const { url } = await rig.issue(storeId);
  await setLargestLogo(registry, storeId);
  const { page, visit, transferredBytes, close } = await openPage(browser, viewports.phone);
  await visit(`${url}?lang=en`);
  expect(await page.evaluate("document.querySelector('.logo').naturalWidth")).toBe(400);
  expect(await page.evaluate("document.fonts.check('600 20px Certificate')")).toBe(true);
  const bytes = await transferredBytes();
  expect(bytes).toBeGreaterThan(20_000);
  expect(bytes).toBeLessThan(60_000);
  await close();
});

test("fits on one printed page", async () => {
  const { page, visit, close } = await openPage(browser);
  for (const state of ["valid", "revoked"] as const) {
    await visit(`${examples[state]}?lang=en`);
    for (const format of ["A4", "Letter"]) {
      const pdf = await page.pdf({ format, preferCSSPageSize: true, printBackground: true });
      expect(pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
    }
  }
  await visit(`${examples.valid}?lang=en`);
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize({ width: 794, height: 1123 });
  await screenshot(page, "valid-print-en");
  await close();
});

test("offers a skip link first, and lets the visitor switch the language with the keyboard", async () => {
  const { page, close } = await openPage(browser);
  await page.goto(`${examples.valid}?lang=en`);
  await page.keyboard.press("Tab");
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to content");
  const french = page.getByRole("link", { name: "Français" });
  await french.focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/lang=fr/);
  expect(await page.locator("h1").innerText()).toBe("Certificat d’authenticité");
  expect(await page.getByRole("link", { name: "Français" }).getAttribute("aria-current")).toBe("true");
  await close();
});
