import { type Browser, chromium } from "playwright-core";
import { findChromium } from "./find-chromium.ts";

/** Starts a headless Chromium. */
export async function launchChromium(): Promise<Browser> {
  const { executablePath, env } = await findChromium();
  return chromium.launch({
    executablePath,
    // Containers and CI machines often run tests as root or without the kernel features that the sandbox requires.
    args: ["--no-sandbox", "--font-render-hinting=none"],
    env: { ...process.env, ...env },
  });
}
