import { expect, test } from "vitest";
import { textsFor } from "#shared/texts/texts.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { variants } from "../harness/variants.ts";
import { signIn } from "./merchant.ts";
import { openBrowser } from "./open-browser.ts";
import { viewports } from "./pages-in-browser.ts";

const rig = await sharedPagesRig();
const browser = await openBrowser();

test.each(
  variants([
    ["desktop", "en"],
    ["phone", "ja"],
  ] as const),
)("a merchant finds a certificate with the keyboard alone on a %s in %s", async (viewport, language) => {
  const text = textsFor(language);
  const storeId = await createPageStore(rig);
  const grace = { name: "Grace Hopper", email: "grace@example.test" };
  await rig.issue(storeId, { product: { title: "Double Vase", sku: "WAL-AZ-01" }, buyer: grace });
  await rig.issue(storeId, { order: { name: "#1015" } });
  const merchant = await signIn(rig, browser, storeId, { ...viewports[viewport], locale: language });
  const { page } = merchant;
  const titles = () => page.locator(".rows .title").allInnerTexts();
  const searchFor = async (words: string) => {
    await page.locator("#filter-q").focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type(words);
    await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
    expect(await page.locator("#filter-q").inputValue()).toBe(words);
  };
  await merchant.open("/certificates");
  for (const words of ["hopp", "grace@", "WAL-AZ", "double gráce"]) {
    await searchFor(words);
    expect(await titles()).toEqual([expect.stringContaining("Double Vase")]);
  }
  for (const words of ["1015", "#1015", "000002"]) {
    await searchFor(words);
    expect(await titles()).toEqual([expect.stringContaining("000002")]);
  }

  await searchFor("opper");
  expect(await titles()).toEqual([]);
  expect(await page.locator(".empty").innerText()).toContain(text("settings.certificates.searchable"));
  await merchant.inspect();
  const clear = page.getByRole("link", { name: text("settings.certificates.clear") });
  const isFocused = () => clear.evaluate((link) => link === link.ownerDocument.activeElement);
  await page.locator("#filter-q").focus();
  for (let presses = 0; presses < 5 && !(await isFocused()); presses++) await page.keyboard.press("Tab");
  expect(await isFocused()).toBe(true);
  await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
  expect(await titles()).toHaveLength(2);
  expect(await page.locator("#filter-q").inputValue()).toBe("");
});
