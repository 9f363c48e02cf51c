import type { Browser } from "playwright-core";
import { afterAll } from "vitest";
import { oncePerWorker } from "../harness/once-per-worker.ts";
import { launchChromium } from "./launch-chromium.ts";

const openShared = oncePerWorker(async (onEnd) => {
  const browser = await launchChromium();
  onEnd(() => browser.close());
  return browser;
});

/** Returns the headless Chromium of this worker, and closes its profiles after the tests of the file. */
export async function openBrowser(): Promise<Browser> {
  const browser = await openShared();
  afterAll(() => Promise.all(browser.contexts().map((context) => context.close())));
  return browser;
}
