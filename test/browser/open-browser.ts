import { existsSync } from "node:fs";
import { join } from "node:path";
import chromium, { inflate } from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";
import { afterAll } from "vitest";
import which from "which";

const installed = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Starts a headless Chromium, and closes it after the tests of the file. */
export async function openBrowser(): Promise<Browser> {
  const { executablePath, libraries } = await findChromium();
  const browser = await playwright.launch({
    executablePath,
    // Containers and CI machines run tests as root, without the kernel features of the sandbox.
    args: ["--no-sandbox", "--font-render-hinting=none"],
    ...(libraries !== undefined && { env: { ...process.env, LD_LIBRARY_PATH: libraries } }),
  });
  afterAll(() => browser.close());
  return browser;
}

/** Finds Chromium: the one of CHROMIUM_PATH, an installed one, or otherwise the one of an npm package. */
async function findChromium(): Promise<{ readonly executablePath: string; readonly libraries?: string }> {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined && named !== "") return { executablePath: named };
  for (const program of installed) {
    const executablePath = await which(program, { nothrow: true });
    if (executablePath !== null) return { executablePath };
  }
  const executablePath = await chromium.executablePath();
  // The package also has the libraries that Chromium needs and a minimal machine lacks.
  const archive = new URL("../bin/al2023.tar.br", import.meta.resolve("@sparticuz/chromium"));
  if (!existsSync(archive)) return { executablePath };
  return { executablePath, libraries: join(await inflate(archive.pathname), "lib") };
}
