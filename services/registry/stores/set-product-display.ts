import { createHash } from "node:crypto";
import { badRequest } from "#shared/errors/service-error.ts";
import type { EncodedImage, ImageReference, ImageWithContent } from "#shared/images/image.ts";
import { idText } from "#shared/text/id-alphabet.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import type { ProductDisplay } from "../values/product-display.ts";
import { checkText } from "../values/text-rules.ts";
import type { ProductDisplays } from "./product-displays.ts";
import type { StoreAction } from "./store-history.ts";
import { checkWebpImage } from "./webp-image.ts";

/** Maximum size of a product's image in bytes. A verification page with an image must load less than 100 kB. */
export const productImageBytesMax = 48 * 1_024;
const bounds = { bytesMax: productImageBytesMax, sideMax: 2_000 };
const idLength = 26;

/** A request to change what verification pages show of a product; undefined fields do not change. */
interface SetProductDisplayRequest extends Omit<ImageReference, "id"> {
  readonly storeId: string;
  readonly productId: string;
  readonly title: string;
  readonly maker: string | undefined;
  /** A WebP image; if empty, the image is removed. */
  readonly image: Uint8Array | undefined;
  readonly actor: string;
}

/**
 * Changes what verification pages show of a product. The caller has encoded the image.
 *
 * @throws ServiceError `bad_request` naming the field; otherwise as {@link ProductDisplays.set}
 */
export async function setProductDisplay(
  displays: ProductDisplays,
  { storeId, productId, title, maker, image: content, width, height, actor }: SetProductDisplayRequest,
): Promise<ProductDisplay> {
  checkText("product_id", productId, { ...textLimits.productId, min: 1 });
  checkText("title", title, textLimits.productTitle);
  if (maker !== undefined) checkText("maker", maker, textLimits.maker);
  if (maker === undefined && content === undefined) throw badRequest("maker", "and image are both missing");
  const image =
    content && (content.length === 0 ? null : productImageOf(storeId, productId, { content, width, height }));
  const change = { productId, title, maker, image };
  return displays.set(storeId, change, { action: actionOf(image), actor, details: { product: title } });
}

function actionOf(image: ImageWithContent | null | undefined): StoreAction {
  if (image === undefined) return "product_maker.set";
  return image === null ? "product_image.removed" : "product_image.set";
}

/** Checks an image that a caller has encoded for a product. @throws ServiceError `bad_request` naming the field */
export function productImageOf(storeId: string, productId: string, image: EncodedImage): ImageWithContent {
  checkWebpImage(image, "image", bounds);
  const { content, width, height } = image;
  return { id: imageId(storeId, productId, content), width, height, content };
}

/**
 * Returns an id that depends on the content, so that caches can keep an image forever, and on the store's random id, so
 * that no caller can find out whether another store has the image. Each byte gives one character of the alphabet.
 */
function imageId(storeId: string, productId: string, content: Uint8Array): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([storeId, productId]))
    .update(content)
    .digest();
  return `pim_${idText(digest.subarray(0, idLength))}`;
}
