import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { exportText, headRow } from "#shared/orders/csv-fixture.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { send, signIn } from "../browser/merchant.ts";
import { openBrowser } from "../browser/open-browser.ts";
import { viewports } from "../browser/pages-in-browser.ts";
import { screenshot } from "../browser/screenshots.ts";
import { createPageStore, openPagesRig } from "../harness/pages-rig.ts";
import { listAll } from "../harness/public-certificate.ts";

const rig = await openPagesRig();
const { registry } = rig;
const browser = await openBrowser();
const logo = await sharp({ create: { width: 300, height: 100, channels: 3, background: "teal" } })
  .png()
  .toBuffer();

const orders = (count: number) =>
  exportText([
    ...Array.from({ length: count }, (_, index) => headRow(`#${index + 1}`, String(7_000_000 + index))),
    headRow("#9999", "9999999", { Email: "nobody" }),
  ]);

describe.each([
  ["phone", "de", { ...viewports.phone, locale: "de" }],
  ["desktop", "ja", { ...viewports.desktop, locale: "ja" }],
  ["desktop without a script", "de", { ...viewports.desktop, locale: "de", javaScriptEnabled: false }],
] as const)("a merchant on a %s in %s", (_name, language, options) => {
  const hasScript = !("javaScriptEnabled" in options);
  const open = async () => {
    const storeId = await createPageStore(rig);
    return { storeId, merchant: await signIn(rig, browser, storeId, options) };
  };

  test("uploads an order export, imports it, and downloads the rejected lines", async () => {
    const { storeId, merchant } = await open();
    const { page } = merchant;
    const text = textsFor(language);
    const untilDone = async () => {
      while (!hasScript && (await page.locator("[data-live]").count()) > 0)
        await page.getByText(text("settings.import.refresh")).click();
      await page.locator("[data-live]").waitFor({ state: "detached" });
    };
    await merchant.open("/certificates/import");
    await send(merchant, "upload");
    expect(await page.locator(".mistake").innerText()).toBe(text("settings.import.upload.chooseFile"));
    const buffer = Buffer.from(orders(300));
    await page.locator("#upload-file").setInputFiles({ name: "注文.csv", mimeType: "text/csv", buffer });
    await page.locator("form:has(#upload-file) button").click();
    await page.waitForURL(/import\/imp_/);
    await untilDone();
    expect(await page.locator("h1").innerText()).toBe("注文.csv");
    expect(await page.locator("main").innerText()).toContain(text("settings.import.toIssue"));
    expect(await listAll(registry, storeId)).toEqual([]);
    await send(merchant, "start");
    await untilDone();
    await page.getByText(text("settings.import.state.finished")).waitFor();
    expect(await page.locator("main").innerText()).toContain("Email");
    expect(await listAll(registry, storeId)).toHaveLength(300);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByText(text("settings.import.download")).click(),
    ]);
    expect(download.suggestedFilename()).toBe("rejected-lines.csv");
  });

  test("sets and removes the logo, and replaces a certificate's link", async () => {
    const { storeId, merchant } = await open();
    const { page } = merchant;
    const { certificateId, url } = await rig.issue(storeId);
    await merchant.open("/store");
    const svg = {
      name: "logo.png",
      mimeType: "image/png",
      buffer: Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"),
    };
    await page.locator("#setLogo-logo").setInputFiles(svg);
    await send(merchant, "setLogo");
    expect(await page.locator(".mistake").innerText()).toBe(textsFor(language)("settings.logo.problems.format"));
    await page.locator("#setLogo-logo").setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: logo });
    await send(merchant, "setLogo");
    expect(await page.evaluate("document.querySelector('.logo').naturalWidth")).toBe(300);
    await send(merchant, "removeLogo");
    expect(await page.locator(".logo").count()).toBe(0);

    await merchant.open(`/certificates/${certificateId}`);
    await page
      .locator("details.disclosure", { hasText: textsFor(language)("settings.certificate.newLink") })
      .locator("summary")
      .click();
    await send(merchant, "replaceLink");
    expect(await page.locator(".banner.good").innerText()).toBe(textsFor(language)("settings.certificate.done.link"));
    expect(await page.locator("main").innerText()).toContain(textsFor(language)("settings.certificate.linkReplaced"));
    const link = (await page.locator("a.button[target=_blank]").getAttribute("href")) ?? "";
    expect(link).not.toContain(url);
    expect((await page.request.get(link)).status()).toBe(200);
  });

  test("prints sheets for selected certificates, sheets for all certificates, and QR codes", async () => {
    const { storeId, merchant } = await open();
    const { page } = merchant;
    for (const title of ["Kite", "Harbour", "Orchard"]) await rig.issue(storeId, { product: { title } });
    await merchant.open("/certificates");
    await page.locator("input[name=certificate]").nth(0).check();
    await page.locator("input[name=certificate]").nth(2).check();
    await page.locator("form[action$=sheets] button").first().click();
    await page.waitForURL(/sheets\?.*certificate=crt_/);
    expect(await page.locator(".sheet .product").allInnerTexts()).toEqual(["Orchard", "Kite"]);
    expect(await page.locator(".sheet svg").count()).toBeGreaterThan(2);
    await page.locator(".sheets-bar a[href*='per-page=4']").click();
    expect(await page.locator("body.four .sheet").count()).toBe(2);
    for (const [perPage, pages] of [
      [1, 3],
      [4, 1],
    ] as const) {
      await merchant.open(`/certificates/sheets?per-page=${perPage}`);
      const pdf = await page.pdf({ format: "A4", preferCSSPageSize: true, printBackground: true });
      expect(pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)).toHaveLength(pages);
    }
    if (language === "ja") {
      await page.emulateMedia({ media: "print" });
      await page.setViewportSize({ width: 794, height: 1123 });
      await screenshot(page, "settings-sheets-print-ja");
      await page.emulateMedia({ media: "screen" });
    }
    await merchant.open("/certificates");
    await page.locator("form[action$=sheets] button").nth(1).click();
    await page.waitForURL(/certificates\/print/);
    expect(await page.locator(".codes li").count()).toBeGreaterThan(1);
  });
});
