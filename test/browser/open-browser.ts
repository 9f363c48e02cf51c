import { type Browser, chromium } from "playwright-core";
import { afterAll } from "vitest";
import { findChromium } from "./find-chromium.ts";

/** Starts a headless Chromium, and closes it after the tests of the file. */
export async function openBrowser(): Promise<Browser> {
  const { executablePath, env } = await findChromium();
  const browser = await chromium.launch({
    executablePath,
    // Containers and CI machines run tests as root, without the kernel features that the sandbox requires.
    args: ["--no-sandbox", "--font-render-hinting=none"],
    env: { ...process.env, ...env },
  });
  afterAll(() => browser.close());
  return browser;
}
