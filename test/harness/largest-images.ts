import { randomBytes } from "node:crypto";
import sharp from "sharp";
import { productImageTarget } from "#shared/images/product-image-target.ts";
import { logoBytesMax } from "../../services/registry/stores/set-logo.ts";
import { openSettingsSession } from "./settings-session.ts";

type Registry = Parameters<typeof openSettingsSession>[0];

interface Size {
  readonly width: number;
  readonly height: number;
}

const logoSize = { width: 400, height: 160 };
const imageSize = { width: 832, height: 624 };

/** Sets a logo of nearly the maximum size that the registry accepts. */
export async function setLargestLogo(registry: Registry, storeId: string): Promise<void> {
  const content = await largestWebp(logoSize, logoBytesMax);
  await registry.settings.stores.setLogo(
    { content, ...logoSize },
    { headers: await openSettingsSession(registry, storeId) },
  );
}

/** Sets an image of nearly the maximum size that the edge encodes, and a maker. */
export async function setLargestImage(
  registry: Registry,
  storeId: string,
  productId: string,
  maker = "",
): Promise<void> {
  const image = await largestWebp(imageSize, productImageTarget.bytesMax);
  await registry.settings.stores.setProductDisplay(
    { productId, title: "Product", maker, image, ...imageSize },
    { headers: await openSettingsSession(registry, storeId) },
  );
}

const images = new Map<Size, Promise<Buffer>>();

/** Returns an image of nearly the maximum size. The image of a size is made once, because it takes seconds. */
function largestWebp(size: Size, bytesMax: number): Promise<Buffer> {
  const image = images.get(size) ?? makeLargestWebp(size, bytesMax);
  images.set(size, image);
  return image;
}

/** Returns noise, as fine as fits, because fine noise compresses poorly. */
async function makeLargestWebp({ width, height }: Size, bytesMax: number): Promise<Buffer> {
  for (let grain = 1; ; ) {
    const raw = { width: Math.ceil(width / grain), height: Math.ceil(height / grain), channels: 3 } as const;
    const noise = randomBytes(raw.width * raw.height * raw.channels);
    const content = await sharp(noise, { raw }).resize(width, height, { fit: "fill" }).webp({ quality: 40 }).toBuffer();
    if (content.length <= bytesMax) return content;
    // The length falls in inverse proportion to the grain, or more slowly.
    grain *= Math.max(1.1, content.length / bytesMax);
  }
}
