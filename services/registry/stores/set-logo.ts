import type { EncodedImage } from "#shared/images/image.ts";
import { newId } from "../values/identifiers.ts";
import type { StoreDirectory, StoreRecord } from "./store-directory.ts";
import { checkWebpImage } from "./webp-image.ts";

/** Maximum size of a logo in bytes. A verification page must load less than 60 kB. */
export const logoBytesMax = 16 * 1_024;
const sideMax = 1_000;

/** A request to set a logo, or to remove it if the content is empty. */
interface SetLogoRequest extends EncodedImage {
  readonly storeId: string;
  readonly actor: string;
}

/**
 * Sets or removes the logo of a store's verification pages. The caller has encoded the image.
 *
 * @throws ServiceError `bad_request` naming the field; otherwise as {@link StoreDirectory.setLogo}
 */
export async function setLogo(stores: StoreDirectory, request: SetLogoRequest): Promise<StoreRecord> {
  const { storeId, content, width, height, actor } = request;
  if (content.length === 0) return stores.setLogo(storeId, null, { action: "logo.removed", actor, details: {} });
  checkWebpImage(request, "content", { bytesMax: logoBytesMax, sideMax });
  const logo = { id: newId("lgo"), width, height, content };
  return stores.setLogo(storeId, logo, { action: "logo.set", actor, details: { logo: logo.id } });
}
