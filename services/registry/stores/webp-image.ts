import { badRequest } from "#shared/errors/service-error.ts";
import type { EncodedImage } from "#shared/images/image.ts";

/**
 * Checks the size of an image and its file signature, because browsers load the image from the service's origin.
 *
 * @param field name of the request's field with the content
 * @throws ServiceError `bad_request` naming the field
 */
export function checkWebpImage(
  { content, width, height }: EncodedImage,
  field: string,
  { bytesMax, sideMax }: { readonly bytesMax: number; readonly sideMax: number },
): void {
  if (content.length > bytesMax) throw badRequest(field, `has more than ${bytesMax} bytes`);
  if (!isWebp(content)) throw badRequest(field, "is not a WebP image");
  for (const [name, side] of [["width", width] as const, ["height", height] as const])
    if (side < 1 || side > sideMax) throw badRequest(name, `must be 1 to ${sideMax}`);
}

// RFC 9649 §2.4: "RIFF", the size, "WEBP".
function isWebp(content: Uint8Array): boolean {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  return bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP";
}
