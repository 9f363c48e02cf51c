import type { Browser, BrowserContextOptions } from "playwright-core";
import { expect } from "vitest";
import type { PagesRig } from "../harness/pages-rig.ts";
import { accessibilityProblems, openPage, type WatchedPage } from "./pages-in-browser.ts";
import { screenshot } from "./screenshots.ts";

/** A merchant's browser, signed in to the settings of a store. */
export interface Merchant extends WatchedPage {
  /** Opens a page of the settings. @param path below `/settings` */
  open(path: string): Promise<void>;
  /**
   * Checks that the page has no accessibility violation and fits the screen, and saves a screenshot if
   * UPDATE_SCREENSHOTS is 1.
   */
  inspect(name: string): Promise<void>;
}

/** Opens a sign-in link in a new browser profile, and signs in. */
export async function signIn(
  { registry, edge }: Pick<PagesRig, "registry" | "edge">,
  browser: Browser,
  storeId: string,
  options: BrowserContextOptions = {},
): Promise<Merchant> {
  const watched = await openPage(browser, options);
  const { page } = watched;
  const { url } = await registry.admin.createSettingsLink({ storeId, actor: "Ada Lovelace" });
  await page.goto(url);
  await page.locator("button[type=submit]").click();
  await page.waitForURL(/\/settings$/);
  return {
    ...watched,
    open: async (path) => {
      await page.goto(`http://127.0.0.1:${edge.port}/settings${path}`, { waitUntil: "networkidle" });
    },
    inspect: async (name) => {
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      await screenshot(page, `settings-${name}`);
    },
  };
}
