import type { EdgeMiddleware } from "../http/edge-context.ts";
import { sendRendition } from "../http/rendition.ts";
import type { LogoCache } from "./logo-cache.ts";
import { unknownLink } from "./page-cache.ts";
import { networksOf } from "./page-request.ts";

const idPattern = /^lgo_[0-9a-z]{24}$/;

/**
 * Sends a store's logo as the edge encoded it on upload. Although the id changes with the image, caches keep an
 * image for only an hour, so that a removed logo disappears. The Content-Security-Policy prevents scripts and requests
 * if a browser opens the image as a document.
 */
export function sendLogo(logos: Pick<LogoCache, "find">): EdgeMiddleware {
  return async (ctx) => {
    const id = ctx.params?.logo ?? "";
    if (!idPattern.test(id)) throw unknownLink();
    const logo = await logos.find(id, networksOf(ctx));
    ctx.set({
      "Cache-Control": "public, max-age=3600",
      "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    });
    sendRendition(ctx, logo);
  };
}
