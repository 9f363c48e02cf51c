import type { BrowserContextOptions, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { EditionStyle, OwnerDisplay } from "#gen/registry/v1/store_admin_service_pb.js";
import { inStore } from "../harness/in-store.ts";
import { setLargestImage, setLargestLogo } from "../harness/largest-images.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { variants } from "../harness/variants.ts";
import { createExamplePages, type ExamplePages } from "./example-certificates.ts";
import { openBrowser } from "./open-browser.ts";
import { accessibilityProblems, fitsScreen, keyboardProblems, openPage, viewports } from "./pages-in-browser.ts";
import { screenshot } from "./screenshots.ts";

const rig = await sharedPagesRig();
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
    pictured: "Gültig",
    revoked: "Widerrufen",
    expired: "Abgelaufen",
    sample: "Muster",
    unknown: "Zertifikat nicht gefunden",
  },
  en: {
    valid: "Valid",
    pictured: "Valid",
    revoked: "Revoked",
    expired: "Expired",
    sample: "Sample",
    unknown: "Certificate not found",
  },
  ja: {
    valid: "有効",
    pictured: "有効",
    revoked: "失効",
    expired: "期限切れ",
    sample: "見本",
    unknown: "証明書が見つかりません",
  },
};

const states = ["valid", "pictured", "revoked", "expired", "sample", "unknown"] as const;

describe.each(variants(visitors))("on a %s in %s", (name, language, options) => {
  test.each(states)("shows the certificate state '%s' on an accessible page that fits the screen", async (state) => {
    const { page, visit, problems } = await openPage(browser, { ...options, locale: language });
    await visit(`${examples[state]}?lang=${language}`);
    const isUnknown = state === "unknown";
    const shown = await page.locator(isUnknown ? "h1" : ".state strong").innerText();
    expect(shown).toBe(stateNames[language]?.[state]);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await fitsScreen(page)).toBe(true);
    if (state === "valid" || state === "pictured" || !alike.includes(`${name}-${language}`))
      await screenshot(page, `${state}-${name}-${language}`);
    // The page of an unknown certificate has status 404, which the browser logs as an error.
    expect(problems.filter((problem) => !(isUnknown && problem.includes("404")))).toEqual([]);
  });
});

test("shows the details of a valid certificate, with dates in the language of the page", async () => {
  const { page } = await openPage(browser);
  await page.goto(`${examples.valid}?lang=de`);
  const facts = await page.locator(".details > div").allInnerTexts();
  expect(facts.map((fact) => fact.toLowerCase().split(/\n+/))).toEqual([
    ["zertifikatsnummer", "001042"],
    ["ausgestellt am", "14. märz 2026"],
    ["gültig bis", "14. märz 2076"],
    ["eigentümer", "ada lovelace"],
  ]);
  await page.goto(`${examples.valid}?lang=ja`);
  expect(await page.locator("time").allInnerTexts()).toEqual(["2026年3月14日", "2076年3月14日"]);
});

test("loads less than 60 kB over the network, including the font and the logo", async () => {
  const storeId = await createPageStore(rig);
  const { url } = await rig.issue(storeId);
  await setLargestLogo(registry, storeId);
  const { page, visit, transferredBytes } = await openPage(browser, viewports.phone);
  await visit(`${url}?lang=en`);
  expect(await page.evaluate("document.querySelector('.logo').naturalWidth")).toBe(400);
  expect(await page.evaluate("document.fonts.check('600 20px Certificate')")).toBe(true);
  const bytes = await transferredBytes();
  expect(bytes).toBeGreaterThan(20_000);
  expect(bytes).toBeLessThan(60_000);
});

test("loads less than 100 kB with the largest image of a product, and less than 40 kB without image and logo", async () => {
  const storeId = await createPageStore(rig);
  const { url } = await rig.issue(storeId);
  const bytesOf = async () => {
    const { page, visit, transferredBytes } = await openPage(browser, viewports.phone);
    await visit(`${url}?lang=en`);
    const width = await page.evaluate("document.querySelector('.picture')?.naturalWidth");
    return { width, bytes: await transferredBytes() };
  };
  expect((await bytesOf()).bytes).toBeLessThan(40_000);
  await setLargestImage(registry, storeId, "7001");
  await expect.poll(async () => (await bytesOf()).width).toBe(832);
  const { bytes } = await bytesOf();
  expect(bytes).toBeGreaterThan(70_000);
  expect(bytes).toBeLessThan(100_000);
});

describe("a printed page", () => {
  // Sizes in CSS pixels.
  const papers = { A4: [794, 1_123], Letter: [816, 1_056], A5: [559, 794] } as const;
  const sheets = Object.entries(papers).flatMap(([format, [width, height]]) => [
    { format, landscape: false, viewport: { width, height } },
    { format, landscape: true, viewport: { width: height, height: width } },
  ]);

  let longest = "";
  beforeAll(async () => {
    longest = await createLongest();
  });

  async function createLongest(): Promise<string> {
    const storeId = await createPageStore(rig, {
      editionStyle: EditionStyle.ZERO_PADDED,
      ownerDisplay: OwnerDisplay.NAME,
    });
    const long = (words: string) => words.repeat(Math.ceil(255 / words.length)).slice(0, 255);
    const product = { title: long("Kite Season "), variant: long("screen print ") };
    const { certificateId, url } = await rig.issue(storeId, { product, buyer: { name: long("Ada Lovelace ") } });
    const reason = long("It was damaged ");
    await registry.lifecycle.revokeCertificate({ certificateId, cause: 3, reason }, inStore(storeId));
    await setLargestLogo(registry, storeId);
    await setLargestImage(registry, storeId, "7001", long("Mara Lindqvist ").slice(0, 100));
    return url;
  }

  // Evaluated in the page: the parts that reach into the frame, and pairs of parts that overlap.
  const misplaced = `(() => {
    const sheet = document.querySelector(".sheet");
    const outer = sheet.getBoundingClientRect();
    const frame = parseFloat(getComputedStyle(sheet).borderTopWidth) - 1;
    const parts = Array.from(document.querySelectorAll(".content > *, .scan > *"), (element) => {
      return { name: element.className.baseVal ?? (element.className || element.localName), box: element.getBoundingClientRect(), element };
    }).filter(({ box }) => box.width > 0);
    const outside = parts.filter(({ box }) => box.left < outer.left + frame || box.right > outer.right - frame
      || box.top < outer.top + frame || box.bottom > outer.bottom - frame);
    const overlaps = parts.flatMap((one, index) => parts.slice(index + 1).filter((other) =>
      !one.element.contains(other.element)
      && one.box.left < other.box.right - 1 && other.box.left < one.box.right - 1
      && one.box.top < other.box.bottom - 1 && other.box.top < one.box.bottom - 1,
    ).map((other) => one.name + " overlaps " + other.name));
    return [...outside.map(({ name }) => name + " is outside"), ...overlaps];
  })()`;

  test.each(variants(sheets))(
    "is one sheet of $format with all facts in its frame (landscape: $landscape)",
    async (sheet) => {
      const { format, landscape, viewport } = sheet;
      const { page, visit } = await openPage(browser);
      for (const url of [examples.valid, examples.pictured, examples.revoked, longest]) {
        await visit(`${url}?lang=de`);
        const pdf = await page.pdf({ format, landscape, printBackground: true });
        expect.soft(pdf.toString("latin1").match(/\/Type\s*\/Page\b/g), url).toHaveLength(1);
        await page.emulateMedia({ media: "print" });
        await page.setViewportSize(viewport);
        expect.soft(await page.evaluate(misplaced), url).toEqual([]);
        expect.soft(Math.min(...(await page.evaluate<number[]>(factsOfRows))), url).toBeGreaterThan(1);
        expect.soft(await page.evaluate("document.documentElement.scrollHeight <= innerHeight"), url).toBe(true);
        const name = `${url === examples.valid ? "valid" : "revoked"}-print-${format.toLowerCase()}${landscape ? "-landscape" : ""}-de`;
        if (url === examples.valid && format === "A5") await screenshot(page, name);
        await page.emulateMedia({ media: null });
      }
    },
  );

  test("shows the address of the certificate beside the QR code, without what a reader need not type", async () => {
    const { page, visit } = await openPage(browser);
    await visit(`${examples.valid}?lang=en`);
    const address = page.locator(".scan .address");
    expect(await address.isVisible()).toBe(false);
    await page.emulateMedia({ media: "print" });
    expect(await address.innerText()).toBe(examples.valid.replace("http://", ""));
    await page.setViewportSize({ width: 794, height: 1123 });
    await screenshot(page, "valid-print-en");
  });

  test("shows the seal even if it is printed while the page opens", async () => {
    const { page, visit } = await openPage(browser);
    await visit(`${examples.valid}?lang=en`);
    await page.evaluate(
      "for (const animation of document.getAnimations()) { animation.pause(); animation.currentTime = 0; }",
    );
    const opacity = "getComputedStyle(document.querySelector('.seal')).opacity";
    expect(await page.evaluate(opacity)).toBe("0");
    await page.emulateMedia({ media: "print" });
    expect(await page.evaluate(opacity)).toBe("1");
  });
});

// Evaluated in the page: the number of facts in each row.
const factsOfRows = `Array.from(
  Map.groupBy(document.querySelectorAll(".details > div"), (fact) => Math.round(fact.getBoundingClientRect().top)).values(),
  ({ length }) => length,
)`;

test.each([320, 390, 700, 1_280])("a row of facts has one fact on a phone, else several (%i pixels)", async (width) => {
  const { page, visit } = await openPage(browser, { viewport: { width, height: 844 } });
  const bare = await rig.issue(await createPageStore(rig));
  for (const url of [examples.valid, examples.revoked, examples.expired, examples.sample, bare.url]) {
    await visit(`${url}?lang=de`);
    const rows = await page.evaluate<number[]>(factsOfRows);
    const isAlone = width < 640 || rows[0] === 1;
    expect(
      rows.every((count) => (isAlone ? count === 1 : count > 1)),
      `${url}: ${rows}`,
    ).toBe(true);
  }
});

test("the mark of a revoked certificate does not cross texts on a phone", async () => {
  const { page, visit } = await openPage(browser, viewports.phone);
  for (const language of ["de", "en", "ja", "fr", "pt"]) {
    await visit(`${examples.revoked}?lang=${language}`);
    const mark = await page.locator(".mark").boundingBox();
    const texts = [
      page.locator(".variant"),
      page.locator(".state strong"),
      page.locator(".explanation"),
      page.locator("dt").first(),
    ];
    for (const text of texts) {
      const box = await text.boundingBox();
      const isApart = mark && box && (mark.y >= box.y + box.height || mark.y + mark.height <= box.y);
      expect(isApart, `${language} ${JSON.stringify([mark, box])}`).toBe(true);
    }
  }
});

test.each([
  ["ż", "Grażyna Łukasik"],
  ["ễ", "Nguyễn Văn Đức"],
])("shows names with letters such as %s in the font of the page alone", async (_letter, name) => {
  const storeId = await createPageStore(rig, { ownerDisplay: OwnerDisplay.NAME });
  const { url } = await rig.issue(storeId, { buyer: { name } });
  const { page, visit } = await openPage(browser);
  await visit(`${url}?lang=en`);
  const fonts = await fontsOf(page, ".details > div:last-child dd");
  expect(fonts).toEqual([expect.stringMatching(/^Cormorant Garamond/)]);
});

test("loads the font's other subsets only for a page with their characters", async () => {
  const requested: string[] = [];
  const { page, visit } = await openPage(browser);
  page.on("request", (request) => requested.push(request.url()));
  await visit(`${examples.valid}?lang=en`);
  const fonts = requested.filter((url) => url.endsWith(".woff2"));
  expect(fonts).toEqual([expect.stringMatching(/\/display\.[0-9a-f]{12}\.woff2$/)]);
});

/** Returns the families of the fonts with which the text of an element is shown. */
async function fontsOf(page: Page, selector: string): Promise<string[]> {
  await page.evaluate("document.fonts.ready");
  const session = await page.context().newCDPSession(page);
  await session.send("DOM.enable");
  await session.send("CSS.enable");
  const { root } = await session.send("DOM.getDocument");
  const { nodeId } = await session.send("DOM.querySelector", { nodeId: root.nodeId, selector });
  const { fonts } = await session.send("CSS.getPlatformFontsForNode", { nodeId });
  return [...new Set(fonts.map(({ familyName }) => familyName))];
}

test.each(states)("every control of the page in the state '%s' can be reached with the keyboard", async (state) => {
  const { page, visit } = await openPage(browser, { ...viewports.desktop, locale: "en" });
  await visit(examples[state]);
  expect(await keyboardProblems(page)).toEqual([]);
});

test("offers a skip link first, and lets the visitor switch the language with the keyboard", async () => {
  const { page } = await openPage(browser);
  await page.goto(`${examples.valid}?lang=en`);
  await page.keyboard.press("Tab");
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to content");
  const french = page.getByRole("link", { name: "Français" });
  await french.focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/lang=fr/);
  expect(await page.locator("h1").innerText()).toBe("Certificat d’authenticité");
  expect(await page.getByRole("link", { name: "Français" }).getAttribute("aria-current")).toBe("true");
});
