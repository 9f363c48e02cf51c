import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";

const folder = "services/edge/screenshots";

/** Saves a screenshot of a whole page if UPDATE_SCREENSHOTS is 1; see services/edge/screenshots. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (process.env.UPDATE_SCREENSHOTS !== "1") return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.jpg`), type: "jpeg", quality: 72, fullPage: true });
}
