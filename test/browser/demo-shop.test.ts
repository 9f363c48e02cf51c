import { readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { openDemoShopRig } from "../harness/storefront/demo-shop-rig.ts";
import { variants } from "../harness/variants.ts";
import { openBrowser } from "./open-browser.ts";
import { accessibilityProblems, fitsScreen, openPage, viewports } from "./pages-in-browser.ts";
import { screenshot } from "./screenshots.ts";

const rig = await openDemoShopRig();
const browser = await openBrowser();
const inStage = (page: Page, stage: string) => page.locator(`#stages > li[data-stage="${stage}"]`);

/** Performs an action in the shop, and waits until its effect has reached the mirror. */
async function follow(page: Page, action: () => Promise<void>): Promise<void> {
  const title = page.locator("#journey-title");
  const before = await title.innerText();
  await action();
  await expect.poll(() => title.innerText()).not.toBe(before);
  await page.locator('#stages > li.reached[data-stage="mirror"]').waitFor();
}

/** Orders `quantity` units of a product, and waits until the order has reached the mirror. */
function order(page: Page, product: string, quantity: number): Promise<void> {
  const card = page.locator("#products > li", { hasText: product });
  return follow(page, async () => {
    await card.locator("select").selectOption(String(quantity));
    await card.getByRole("button").click();
  });
}

/**
 * Reads the selected order's certificates, messages and mirror rows from the page. `verified` counts the messages whose
 * signature is shown as verified.
 */
async function shown(page: Page) {
  const textsOf = (stage: string, selector: string) => inStage(page, stage).locator(selector).allInnerTexts();
  return {
    certificates: await textsOf("registry", ".state"),
    messages: (await textsOf("receiver", "b")).map((text) => text.replace(/: \d+$/, "")),
    verified: await inStage(page, "receiver").locator(".verified").count(),
    rows: await textsOf("mirror", ".row .state"),
  };
}

test.each(
  variants([
    ["phone", viewports.phone],
    ["desktop", viewports.desktop],
    ["desktop-dark", { ...viewports.desktop, colorScheme: "dark" }],
  ] as const),
)("on a %s, shows an order's certificates and their revocation by a refund in every stage", async (name, options) => {
  const { page, problems } = await openPage(browser, options);
  await page.goto(rig.url);
  await order(page, "Moon over Nagasaki", 2);
  await expect
    .poll(() => shown(page))
    .toEqual({
      certificates: ["active", "active"],
      rows: ["active", "active"],
      verified: 2,
      messages: ["issued", "issued"],
    });
  expect(await page.locator("#journey-text").innerText()).toMatch(/2 certificates issued and verified; in the mirror/);

  await follow(page, () => page.getByRole("button", { name: "Refund one" }).click());
  expect(await page.locator("#journey-title").innerText()).toMatch(/^Order #\d+, partially refunded$/);
  await expect
    .poll(() => shown(page))
    .toEqual({
      certificates: ["active", "revoked: Refund"],
      rows: ["active", "revoked"],
      verified: 3,
      messages: ["revoked", "issued", "issued"],
    });
  await page.mouse.move(0, 0);
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(await fitsScreen(page)).toBe(true);
  await screenshot(page, `demo-shop-${name}`);

  for (const details of await page.locator("summary").all()) await details.click();
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(await fitsScreen(page)).toBe(true);
  const isWider = "(place) => place.scrollWidth > place.clientWidth";
  expect(await page.evaluate(`[...document.querySelectorAll(".items")].filter(${isWider}).length`)).toBe(0);
  expect(problems).toEqual([]);
});

test("a merchant takes a product's picture from the shop, which the store's certificates then show", async () => {
  const { page, problems } = await openPage(browser);
  await page.goto(await rig.settingsLink());
  await page.locator("button[type=submit]").click();
  await page.waitForURL(/\/settings$/);
  await page.goto(new URL("/settings/products", page.url()).href);
  await page.getByRole("link", { name: "Harbour at Dawn" }).click();
  await page.getByRole("button", { name: "Take the image from the storefront" }).click();
  await page.getByRole("img", { name: "Harbour at Dawn" }).waitFor();
  expect(problems).toEqual([]);
});

test("opening a valid certificate's page for the first time sends a 'verified' message", async () => {
  const { page } = await openPage(browser);
  await page.goto(rig.url);
  await order(page, "Harbour at Dawn", 1);
  const opened = page.waitForEvent("popup");
  await page.getByRole("link", { name: /^Open certificate/ }).click();
  const certificate = await opened;
  expect(await certificate.locator(".state strong").innerText()).toBe("Valid");
  await expect.poll(async () => (await shown(page)).messages).toEqual(["verified", "issued"]);
});

test("issues no second certificate when the platform repeats a webhook", async () => {
  const { page } = await openPage(browser);
  await page.goto(rig.url);
  await order(page, "Marlow Field Watch", 1);
  await page.getByRole("button", { name: "Send it again" }).click();
  await page.getByText("sent 2 times, counted once").waitFor();
  await follow(page, () => page.getByRole("button", { name: "Cancel order" }).click());
  await expect
    .poll(() => shown(page))
    .toMatchObject({
      certificates: [expect.stringMatching(/^revoked/)],
      messages: ["revoked", "issued"],
      rows: ["revoked"],
    });
});

test("a paused mirror misses messages, and catches up from the list when resumed", async () => {
  const { page } = await openPage(browser);
  await page.goto(rig.url);
  await page.getByRole("button", { name: "Pause the mirror" }).click();
  const resume = page.getByRole("button", { name: "Resume and catch up" });
  await resume.waitFor();
  await page.getByRole("button", { name: "Order Stoneware Vase" }).click();
  await page.getByText("paused: 1 message missed").waitFor();
  await page.locator("#journey-text", { hasText: "The mirror is paused and missed the message." }).waitFor();
  await expect.poll(() => shown(page)).toMatchObject({ certificates: ["active"], messages: ["issued"], rows: [] });
  await resume.click();
  await page.locator('#stages > li.reached[data-stage="mirror"]').waitFor();
  expect(await inStage(page, "mirror").locator(".row").allInnerTexts()).toEqual([
    expect.stringMatching(/active\s+read by sync\(\)/),
  ]);
});

test("after the signing secret was replaced in the settings, shows the certificate and what to check", async () => {
  const shop = await rig.openShop(500);
  const secret = await readFile(rig.signingSecretFile, "utf8");
  await writeFile(rig.signingSecretFile, "whsec_another");
  const { page } = await openPage(browser);
  try {
    await page.goto(shop.url);
    await page.getByRole("button", { name: "Order Stoneware Vase" }).click();
    const text = page.locator("#journey-text");
    await text.filter({ hasText: "certificate issued, but the receiver has not accepted all messages" }).waitFor();
    expect(await text.innerText()).toContain("delivery log");
    expect(await shown(page)).toMatchObject({ certificates: ["active"], messages: [], rows: ["active"] });
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Refund" }).click();
    await text.filter({ hasText: "certificate revoked, but the receiver has not accepted all messages" }).waitFor();
    expect(await shown(page)).toMatchObject({ certificates: ["revoked: Refund"], messages: [], rows: ["revoked"] });
  } finally {
    await writeFile(rig.signingSecretFile, secret);
  }
});

test("places orders and returns to an earlier one with the keyboard alone", async () => {
  const { page } = await openPage(browser);
  await page.goto(rig.url);
  const press = (button: Locator) =>
    follow(page, async () => {
      await button.focus();
      await page.keyboard.press("Enter");
    });
  await press(page.getByRole("button", { name: /^Order Harbour/ }));
  const first = await page.locator("#journey-title").innerText();
  await press(page.getByRole("button", { name: /^Order Moon/ }));
  await press(page.locator('#orders button[aria-pressed="false"]').first());
  expect(await page.locator("#journey-title").innerText()).toBe(first);
});

/** Sends a request with any headers, including those that `fetch` forbids. @returns the status of the response */
function statusOf(method: "GET" | "POST", path: string, headers: Readonly<Record<string, string>>, body = "") {
  return new Promise<number | undefined>((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port: rig.port, method, path, headers, agent: false }, (response) => {
      response.destroy();
      resolve(response.statusCode);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

test("a page on another site can neither read the shop's pages nor place an order", async () => {
  const own = `127.0.0.1:${rig.port}`;
  const rebound = `rebound.example:${rig.port}`;
  for (const path of ["/", "/events"]) {
    expect(await statusOf("GET", path, { host: own })).toBe(200);
    expect(await statusOf("GET", path, { host: rebound })).toBe(421);
  }
  const place = (headers: Readonly<Record<string, string>>) =>
    statusOf("POST", "/orders", headers, JSON.stringify({ productId: 8104412840121, quantity: 1 }));
  expect(await place({ host: rebound, origin: `http://${rebound}` })).toBe(421);
  expect(await place({ host: own })).toBe(403);
  expect(await place({ host: own, origin: "https://attacker.example" })).toBe(403);
  expect(await place({ host: own, origin: `http://${own}`, "sec-fetch-site": "cross-site" })).toBe(403);
  expect(await place({ host: own, origin: `http://${own}` })).toBe(200);
});
