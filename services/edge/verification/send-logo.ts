import { LRUCache } from "lru-cache";
import type { EdgeMiddleware } from "../http/edge-context.ts";
import { binaryRendition, type Rendition, sendRendition } from "../http/rendition.ts";
import type { VerificationClient } from "../registry-client/verification-client.ts";
import { unknownLink } from "./page-cache.ts";

const logosMax = 1_000;
const idPattern = /^lgo_[0-9a-z]{24}$/;

/**
 * Sends the logo of a store: an image that the edge encoded when it was uploaded. The id changes with the image, so
 * browsers may cache it indefinitely. The Content-Security-Policy prevents scripts and requests if a browser opens the
 * image as a document.
 */
export function sendLogo(registry: Pick<VerificationClient, "getLogo">): EdgeMiddleware {
  // The registry accepts logos of at most 16 KiB.
  const logos = new LRUCache<string, Rendition>({ max: logosMax });
  return async (ctx) => {
    const id = ctx.params?.logo ?? "";
    if (!idPattern.test(id)) throw unknownLink();
    const logo = logos.get(id) ?? binaryRendition("image/webp", Buffer.from(await registry.getLogo(id)));
    logos.set(id, logo);
    ctx.set({
      "Cache-Control": "public, max-age=31536000, immutable",
      "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    });
    sendRendition(ctx, logo);
  };
}
