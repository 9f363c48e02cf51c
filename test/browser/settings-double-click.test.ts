import { expect, test } from "vitest";
import { inStore } from "../harness/in-store.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { signIn } from "./merchant.ts";
import { openBrowser } from "./open-browser.ts";

const rig = await sharedPagesRig();
const browser = await openBrowser();
const { admin } = rig.registry;

/** Opens a page of a new store's settings. */
async function open(path: string) {
  const storeId = await createPageStore(rig);
  const merchant = await signIn(rig, browser, storeId, { locale: "en" });
  await merchant.open(path);
  return { ...merchant, storeId };
}

test("a double click submits a form once, with the value of its button, and shows the new API key", async () => {
  const { page, problems, storeId } = await open("/keys");
  const keyCount = async () => (await admin.listApiKeys({}, inStore(storeId))).keys.length;
  const sent: (string | null)[] = [];
  await page.route(/\/settings\/keys$/, async (route) => {
    if (route.request().method() === "POST") {
      sent.push(new URLSearchParams(route.request().postData() ?? "").get("clicked"));
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    // Continuing fails if the browser submits the form again, because that cancels the first request.
    await route.continue().catch(() => undefined);
  });
  const button = page.getByRole("button", { name: "Create API key" });
  const label = page.locator("#create-label");
  await label.fill("shop");
  await page.evaluate("Object.assign(document.querySelector('.submit button'), { name: 'clicked', value: 'yes' })");
  await button.dblclick();
  await page.locator("#secret").waitFor();
  expect(await page.locator("#secret").inputValue()).toMatch(/^crk_/);
  expect(sent).toEqual(["yes"]);
  expect(await keyCount()).toBe(1);
  // After the browser goes back, the form can be submitted again.
  await page.goBack();
  await label.fill("second");
  await button.click();
  await page.locator("#secret").waitFor();
  expect(await keyCount()).toBe(2);
  expect(problems).toEqual([]);
});

test("a form that gets no response can be submitted again only after a delay", async () => {
  const { page } = await open("/keys");
  await page.clock.install();
  await page.reload();
  // No response ever loads, as if the merchant had stopped the page from loading.
  await page.evaluate(`{
    globalThis.sent = 0;
    addEventListener("submit", (event) => {
      if (!event.defaultPrevented) globalThis.sent++;
      event.preventDefault();
    });
  }`);
  const button = page.getByRole("button", { name: "Create API key" });
  const isDisabled = () => button.isDisabled();
  await page.locator("#create-label").fill("shop");
  await button.dblclick();
  await expect.poll(isDisabled).toBe(true);
  // While the button is disabled, Enter in a field must not submit the form either.
  await page.locator("#create-label").press("Enter");
  expect(await page.evaluate("globalThis.sent")).toBe(1);
  // The page's clock also runs on: by less than 12 s on a busy machine, of the 15 s that the script waits.
  await page.clock.fastForward(3_000);
  expect(await isDisabled()).toBe(true);
  await page.clock.fastForward(12_000);
  await expect.poll(isDisabled).toBe(false);
  await button.click();
  expect(await page.evaluate("globalThis.sent")).toBe(2);
});

test("a filter can be resubmitted immediately, and checking a URL does not count as submitting the form", async () => {
  const { page, problems } = await open("/certificates");
  await page.evaluate("addEventListener('submit', (event) => event.preventDefault())");
  const filter = page.locator("form[role=search] button[type=submit]");
  await filter.dblclick();
  await filter.click();
  expect(await filter.isDisabled()).toBe(false);
  await page.goto(page.url().replace("/certificates", "/triggers"));
  const checked = page.locator("#url-problem");
  const url = page.locator("#create-url");
  for (const entry of ["http://tool.example.test/hook", "https://tool.example.test/hook"]) {
    await url.fill(entry);
    await expect.poll(() => url.getAttribute("aria-invalid")).toBe(String(entry.startsWith("http:")));
  }
  expect(await checked.innerText()).toBe("");
  await page.locator("#create-url").press("Enter");
  await page.locator("#secret").waitFor();
  expect(problems).toEqual([]);
});
