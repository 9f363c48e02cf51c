import sharp from "sharp";
import { openSettingsSession } from "./settings-session.ts";

/** Draws a print of 624 × 832 pixels, and sets it as the image of a store's product, with a maker. */
export async function setExampleImage(
  { registry }: { readonly registry: Parameters<typeof openSettingsSession>[0] },
  storeId: string,
  productId = "7001",
): Promise<void> {
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="624" height="832" viewBox="0 0 900 1200">
<path d="M0 0h900v1200H0z" fill="#e9dcc3"/><circle cx="600" cy="330" r="190" fill="#d9502e"/>
<path d="M0 900Q250 640 450 860T900 780V1200H0z" fill="#24485c"/>
<path d="M0 1010Q300 820 520 1000T900 930V1200H0z" fill="#12303f"/>
<path d="M250 260l120 150-70 190-150-130z" fill="#f3b23c"/></svg>`;
  // The edge, which runs in the same process, blocks SVG when it encodes an image.
  sharp.unblock({ operation: ["VipsForeignLoadSvg"] });
  const image = await sharp(Buffer.from(drawing)).webp().toBuffer();
  const display = { productId, title: "Kite Season", maker: "Mara Lindqvist", width: 624, height: 832 };
  const headers = await openSettingsSession(registry, storeId);
  await registry.settings.stores.setProductDisplay({ ...display, image }, { headers });
}
