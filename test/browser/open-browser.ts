import type { Browser } from "playwright-core";
import { afterAll } from "vitest";
import { launchChromium } from "./launch-chromium.ts";

/** Starts a headless Chromium, and closes it after the tests of the file. */
export async function openBrowser(): Promise<Browser> {
  const browser = await launchChromium();
  afterAll(() => browser.close());
  return browser;
}
