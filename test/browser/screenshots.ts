import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import sharp from "sharp";

const folder = "services/edge/screenshots";
const widthMax = 1_280;
// A phone's screenshot is 780 pixels wide, more than documents need.
const phoneWidth = 600;

/** Saves a screenshot of a whole page in services/edge/screenshots if UPDATE_SCREENSHOTS is 1. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (process.env.UPDATE_SCREENSHOTS !== "1") return;
  await mkdir(folder, { recursive: true });
  const image = sharp(await page.screenshot({ type: "png", fullPage: true }));
  const { width = 0 } = await image.metadata();
  await image
    .resize({ width: width < widthMax ? phoneWidth : widthMax, withoutEnlargement: true })
    .webp({ quality: 55, effort: 6 })
    .toFile(join(folder, `${name}.webp`));
}
