import { randomBytes } from "node:crypto";
import sharp from "sharp";
import { openSettingsSession } from "./settings-session.ts";

const raw = { width: 400, height: 160, channels: 3 } as const;
const bytesMax = 16_384;

/** Sets a logo of nearly the maximum size that the registry accepts: noise, which compresses poorly. */
export async function setLargestLogo(
  registry: Parameters<typeof openSettingsSession>[0],
  storeId: string,
): Promise<void> {
  const noise = randomBytes(raw.width * raw.height * raw.channels);
  for (let quality = 60; ; quality -= 5) {
    const content = await sharp(noise, { raw }).webp({ quality }).toBuffer();
    if (content.length > bytesMax && quality > 5) continue;
    const headers = await openSettingsSession(registry, storeId);
    await registry.settings.stores.setLogo({ content, width: raw.width, height: raw.height }, { headers });
    return;
  }
}
