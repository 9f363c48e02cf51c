import type { Browser, BrowserContextOptions, Response } from "playwright-core";
import { expect } from "vitest";
import { inStore } from "../harness/in-store.ts";
import type { PagesRig } from "../harness/pages-rig.ts";
import { variants } from "../harness/variants.ts";
import { accessibilityProblems, fitsScreen, openPage, viewports, type WatchedPage } from "./pages-in-browser.ts";
import { screenshot } from "./screenshots.ts";

/** Screens, languages and options of the browsers in which merchants do their tasks. */
export const merchantBrowsers = variants([
  ["phone", "de", { ...viewports.phone, locale: "de" }],
  ["desktop", "ja", { ...viewports.desktop, locale: "ja" }],
  ["desktop without a script", "de", { ...viewports.desktop, locale: "de", javaScriptEnabled: false }],
] as const);

/** A merchant's browser, signed in to the settings of a store. */
export interface Merchant extends WatchedPage {
  /** Opens a page of the settings. @param path below `/settings` @throws Error if it is unavailable */
  open(path: string): Promise<void>;
  /**
   * Checks that the page has no accessibility violation and fits the screen.
   *
   * @param name if UPDATE_SCREENSHOTS is 1, a screenshot is saved as `settings-<name>`. Default: no screenshot
   */
  inspect(name?: string): Promise<void>;
}

/** Opens a sign-in link in a new browser profile, and signs in. @param onEnd see {@link openPage} */
export async function signIn(
  { registry, edge }: Pick<PagesRig, "registry" | "edge">,
  browser: Browser,
  storeId: string,
  options: BrowserContextOptions = {},
  onEnd?: Parameters<typeof openPage>[2],
): Promise<Merchant> {
  const watched = await openPage(browser, options, onEnd);
  const { page } = watched;
  const { url } = await registry.admin.createSettingsLink({ actor: "Ada Lovelace" }, inStore(storeId));
  await page.goto(url);
  await page.locator("button[type=submit]").click();
  await page.waitForURL(/\/settings$/);
  return {
    ...watched,
    open: async (path) => {
      requireService(await page.goto(`http://127.0.0.1:${edge.port}/settings${path}`));
    },
    inspect: async (name) => {
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await fitsScreen(page)).toBe(true);
      if (name !== undefined) await screenshot(page, `settings-${name}`);
    },
  };
}

/** @throws Error if the settings were unavailable or overloaded */
function requireService(response: Response | null): void {
  const status = response?.status() ?? 0;
  if (status >= 500 || status === 429) throw new Error(`${response?.url()} was answered with ${status}`);
}

/**
 * Submits the page's first form for an action. If a closed disclosure contains the form, opens it first.
 *
 * @throws Error if the settings are unavailable
 */
export async function send({ page }: Merchant, action: string): Promise<void> {
  const form = page.locator(`form:has(input[name=action][value=${action}])`).first();
  const disclosure = page.locator("details.disclosure:not([open])").filter({ has: form });
  if ((await disclosure.count()) > 0) await disclosure.first().locator("summary").first().click();
  const [response] = await Promise.all([
    page.waitForResponse((one) => one.request().isNavigationRequest() && one.request().method() === "POST"),
    page.waitForEvent("load"),
    form.locator("button[type=submit]").click(),
  ]);
  requireService(response);
}

/** Returns the message that confirms the last action. */
export function notice({ page }: Merchant): Promise<string> {
  return page.locator(".banner.good").innerText();
}
