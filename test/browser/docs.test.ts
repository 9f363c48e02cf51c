import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { guideSections } from "../../services/edge/docs/guide-pages.ts";
import { openTestEdge } from "../../services/edge/testing/start-edge.ts";
import { openBrowser } from "./open-browser.ts";
import { accessibilityProblems, fitsScreen, keyboardProblems, openPage, viewports } from "./pages-in-browser.ts";
import { screenshot } from "./screenshots.ts";

const edge = await openTestEdge();
const browser = await openBrowser();
const base = `http://127.0.0.1:${edge.port}`;
const slugs = guideSections.flatMap(([, names]) => names);
const shownSlugs: readonly string[] = ["quick-start", "webhooks", "errors"];
const urlOf = (slug: string) => (slug === "quick-start" ? `${base}/docs` : `${base}/docs/${slug}`);

describe.each([
  ["phone", viewports.phone],
  ["desktop", { viewport: { width: 1440, height: 900 } }],
  ["desktop-dark", { viewport: { width: 1440, height: 900 }, colorScheme: "dark" as const }],
])("on the %s screen", (name, options) => {
  test.each(slugs)("the page %s is accessible and no wider than the screen", async (slug) => {
    const { page, visit, problems } = await openPage(browser, options);
    await visit(urlOf(slug));
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await fitsScreen(page)).toBe(true);
    if (shownSlugs.includes(slug)) await screenshot(page, `docs-${slug}-${name}`);
    expect(problems).toEqual([]);
  });
});

test("copies snippets unchanged, except that this service's address replaces the example address", async () => {
  const { page, problems } = await openPage(browser, { permissions: ["clipboard-read", "clipboard-write"] });
  await page.goto(urlOf("quick-start"));
  const copied = async (index: number) => {
    await page.locator("button.copy").nth(index).click();
    return page.evaluate<string>("navigator.clipboard.readText()");
  };
  expect(await copied(0)).toBe(`export REGISTRY_URL=${base}\nexport REGISTRY_API_KEY=crk_…`);
  expect(await page.locator("button.copy").first().innerText()).toBe("Copied");
  const source = readFileSync("services/edge/docs/guide/quick-start.md", "utf8");
  expect(source).toContain(`\n${await copied(1)}\n`);
  expect(problems).toEqual([]);
});

test.each(slugs)("every control of the page %s can be reached with the keyboard", async (slug) => {
  const { page, visit } = await openPage(browser, viewports.desktop);
  await visit(urlOf(slug));
  expect(await keyboardProblems(page)).toEqual([]);
});

test("without scripts, shows only the snippet of the tab selected with the keyboard or a click", async () => {
  const { page } = await openPage(browser, { javaScriptEnabled: false });
  await page.goto(urlOf("webhooks"));
  const shown = () => page.locator(".tabs").nth(1).locator("figcaption:visible").allInnerTexts();
  expect(await shown()).toEqual(["verify-signature.mjs"]);
  await page.getByRole("radio", { name: "Node" }).nth(1).focus();
  for (const file of ["verify-signature.py", "verify-signature.go", "verify-signature.php"]) {
    await page.keyboard.press("ArrowRight");
    expect(await shown()).toEqual([file]);
  }
  await page.getByText("Python", { exact: true }).click();
  expect(await shown()).toEqual(["verify-signature.py"]);
  expect(await page.locator("button.copy:visible").count()).toBe(0);
});

test("every link to this service leads to an existing page and section", async () => {
  const { page } = await openPage(browser);
  const checked = new Set<string>();
  for (const slug of slugs) {
    await page.goto(urlOf(slug));
    const links = await page.evaluate<string[]>("Array.from(document.links, ({ href }) => href)");
    for (const link of links.filter((href) => href.startsWith(base) && !checked.has(href))) {
      checked.add(link);
      const { pathname, hash } = new URL(link);
      const response = await fetch(`${base}${pathname}`);
      expect(response.status, `${slug}: ${link}`).toBe(200);
      if (hash !== "") expect(await response.text(), `${slug}: ${link}`).toContain(` id="${hash.slice(1)}"`);
    }
  }
  expect(checked.size).toBeGreaterThan(40);
});

test("the links to the next page lead through all pages, and the API explorer links back", async () => {
  const { page, problems } = await openPage(browser);
  await page.goto(urlOf("quick-start"));
  const pages = new Set<string>();
  for (let next = page.locator(".next a"); (await next.count()) === 1; next = page.locator(".next a")) {
    pages.add(page.url());
    await next.click();
    await page.waitForLoadState();
  }
  pages.add(page.url());
  expect([...pages]).toEqual(slugs.map(urlOf));
  await page.getByRole("link", { name: "API explorer" }).first().click();
  await page.waitForURL(`${base}/docs/api`);
  await page.getByText("List certificates").first().waitFor();
  await page.getByRole("link", { name: "Quick start" }).first().click();
  await page.waitForURL(`${base}/docs`);
  expect(problems).toEqual([]);
});

test.each([
  ["phone", viewports.phone],
  ["desktop-dark", { viewport: { width: 1440, height: 900 }, colorScheme: "dark" as const }],
])(
  "the API explorer on the %s screen is no wider than the screen, and sends the reader's key only to this edge",
  async (_name, options) => {
    const { page, problems } = await openPage(browser, options);
    const requests: { readonly url: string; readonly key: string | undefined }[] = [];
    page.on("request", (request) => {
      requests.push({ url: request.url(), key: request.headers().authorization });
    });
    await page.goto(`${base}/docs/api`);
    await page.getByRole("button", { name: "Authorize" }).first().click();
    for (const [scheme, value] of [
      ["apiKey", "crk_reader"],
      ["listenToken", "crl_reader"],
    ] as const) {
      const form = page.locator(".modal-ux .auth-container").filter({ hasText: scheme });
      await form.locator("input").fill(value);
      await form.locator(".modal-btn.authorize").click();
    }
    await page.locator(".modal-ux .btn-done").first().click();
    await page.getByText("List certificates").first().click();
    await page.getByRole("button", { name: "Try it out" }).click();
    const answered = page.waitForResponse((response) => response.url().includes("/v1/certificates"));
    await page.getByRole("button", { name: "Execute" }).click();
    await answered;
    expect(await fitsScreen(page)).toBe(true);
    expect(requests.filter(({ url }) => !url.startsWith(base) && !url.startsWith("data:"))).toEqual([]);
    const withKey = requests.filter(({ key }) => key !== undefined);
    expect(withKey).toEqual([{ url: `${base}/v1/certificates?limit=50`, key: "Bearer crk_reader" }]);
    // The browser reports the response to the invented key.
    expect(problems.filter((problem) => !problem.includes("401"))).toEqual([]);
  },
);
