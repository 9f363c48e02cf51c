import { badRequest } from "#shared/errors/service-error.ts";
import { newId } from "../values/identifiers.ts";
import type { StoreDirectory, StoreRecord } from "./store-directory.ts";

/** Maximum size of a logo in bytes. A verification page must load less than 60 kB. */
export const logoBytesMax = 16 * 1_024;
const sideMax = 1_000;

/** A request to set or remove a logo. */
export interface SetLogoRequest {
  readonly storeId: string;
  /** A WebP image; if empty, the logo is removed. */
  readonly content: Uint8Array;
  /** In pixels. */
  readonly width: number;
  /** In pixels. */
  readonly height: number;
  readonly actor: string;
}

/**
 * Sets or removes the logo of a store's verification pages. The caller has encoded the image; its file signature is
 * checked here, because browsers load the image from the service's origin.
 *
 * @throws ServiceError `bad_request` naming the field; otherwise as {@link StoreDirectory.setLogo}
 */
export async function setLogo(stores: StoreDirectory, request: SetLogoRequest): Promise<StoreRecord> {
  const { storeId, content, width, height, actor } = request;
  if (content.length === 0) return stores.setLogo(storeId, null, { action: "logo.removed", actor, details: {} });
  if (content.length > logoBytesMax) throw badRequest("content", `has more than ${logoBytesMax} bytes`);
  if (!isWebp(content)) throw badRequest("content", "is not a WebP image");
  for (const [name, side] of [["width", width] as const, ["height", height] as const])
    if (side < 1 || side > sideMax) throw badRequest(name, `must be 1 to ${sideMax}`);
  const logo = { id: newId("lgo"), width, height, content };
  return stores.setLogo(storeId, logo, { action: "logo.set", actor, details: { logo: logo.id } });
}

// RFC 9649 §2.4: "RIFF", the size, "WEBP".
function isWebp(content: Uint8Array): boolean {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  return bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP";
}
