import { describe, expect, test } from "vitest";
import { EditionStyle, OwnerDisplay } from "#gen/registry/v1/store_admin_service_pb.js";
import { inStore } from "../harness/in-store.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { signIn } from "./merchant.ts";
import { openBrowser } from "./open-browser.ts";
import { screenshot } from "./screenshots.ts";
import { setExampleLogo } from "./settings-store.ts";

const rig = await sharedPagesRig();
const { registry } = rig;
const browser = await openBrowser();

/** Size of a printed page in CSS pixels. */
const papers = {
  A4: { width: 794, height: 1_123 },
  Letter: { width: 816, height: 1_056 },
  A5: { width: 559, height: 794 },
} as const;

const sku = "LP-KITE-A2";
const long = (word: string, max: number) => word.repeat(Math.ceil(max / word.length)).slice(0, max);

/** Creates a store with nine certificates: editions, two of them revoked, and one with texts of the maximum length. */
async function createStore({ language, hasLogo }: { readonly language: string; readonly hasLogo: boolean }) {
  const display = { editionStyle: EditionStyle.ZERO_PADDED, ownerDisplay: OwnerDisplay.NAME };
  const storeId = await createPageStore(rig, { language, ...display });
  const product = { id: "7001", title: "Kite Season, No. 3", editionTotal: 50 };
  const variants = [{ sku, title: "A2, hand-pulled screen print" }];
  await registry.admin.putProducts({ products: [{ ...product, variants }] }, inStore(storeId));
  const issued = [];
  for (let number = 0; number < 8; number += 1)
    issued.push(await rig.issue(storeId, { product: { sku }, buyer: { name: "Émilie du Châtelet" } }));
  const longest = await rig.issue(storeId, {
    product: { title: long("Kite Season ", 255), variant: long("screen print ", 255) },
    buyer: { name: long("Ada Lovelace ", 255) },
  });
  const reasons = ["Returned by the buyer", long("It was damaged ", 255)];
  for (const [index, reason] of reasons.entries()) {
    const certificateId = [issued[2], longest][index]?.certificateId ?? "";
    await registry.lifecycle.revokeCertificate({ certificateId, cause: 3, reason }, inStore(storeId));
  }
  if (hasLogo) await setExampleLogo(rig, storeId);
  return storeId;
}

// Evaluated in the page: a line for each element of a sheet that reaches into the sheet's frame or beyond it. Skips
// the inline elements of long texts, whose last lines are hidden.
const outsideOfFrames = `Array.from(document.querySelectorAll(".sheet"), (sheet) => {
  const outer = sheet.getBoundingClientRect();
  const frame = parseFloat(getComputedStyle(sheet).borderTopWidth) - 0.5;
  return Array.from(sheet.querySelectorAll(".content :not(bdi, time)"), (element) => {
    const { left, right, top, bottom, width } = element.getBoundingClientRect();
    if (width === 0) return [];
    const isInside = left >= outer.left + frame && right <= outer.right - frame
      && top >= outer.top + frame && bottom <= outer.bottom - frame;
    return isInside ? [] : [sheet.querySelector("h1").id + " " + (element.className.baseVal ?? element.className)
      + " " + element.localName + " " + [left - outer.left, outer.right - right, top - outer.top, outer.bottom - bottom]];
  }).flat();
}).flat()`;

// Evaluated in the page: the distances from the upper edges of the printed pages to the sheets on them.
const upperMargins = `Array.from(document.querySelectorAll(".sheet"), (sheet, index) =>
  getComputedStyle(index === 0 ? document.body : sheet)[index === 0 ? "paddingTop" : "marginTop"])`;

test("a sheet on each page has the same margin above it on every page", async () => {
  const merchant = await signIn(rig, browser, await createStore({ language: "en", hasLogo: false }), { locale: "en" });
  await merchant.open("/certificates/sheets");
  await merchant.page.emulateMedia({ media: "print" });
  const margins = await merchant.page.evaluate<string[]>(upperMargins);
  expect(margins).toHaveLength(9);
  expect(new Set(margins).size).toBe(1);
  expect(margins[0]).not.toBe("0px");
});

describe.each([
  ["en", true],
  ["en", false],
  ["de", true],
  ["ja", false],
] as const)("certificates in %s (logo: %s)", (language, hasLogo) => {
  test("are printed four on each page, with all facts inside their frames", async () => {
    const storeId = await createStore({ language, hasLogo });
    const merchant = await signIn(rig, browser, storeId, { locale: "en" });
    const { page } = merchant;
    await merchant.open("/certificates/sheets?per-page=4");
    for (const [format, viewport] of Object.entries(papers)) {
      const pdf = await page.pdf({ format, preferCSSPageSize: true, printBackground: true });
      await page.emulateMedia({ media: "print" });
      await page.setViewportSize(viewport);
      expect.soft(await page.evaluate(outsideOfFrames), format).toEqual([]);
      expect.soft(pdf.toString("latin1").match(/\/Type\s*\/Page\b/g), format).toHaveLength(3);
      if (language === "ja" && format === "A4") await screenshot(page, "settings-sheets-print-ja");
      await page.emulateMedia({ media: null });
    }
  });
});
