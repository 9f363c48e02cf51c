import type { EdgeMiddleware } from "../http/edge-context.ts";
import { sendRendition, textRendition } from "../http/rendition.ts";

/** The `Cache-Control` of documents without personal data: five minutes, so that a new release becomes visible soon. */
export const shortCaching = "public, max-age=300";

/** A text file that is the same for all clients and changes only with a release. */
export interface StaticFile {
  readonly bytes: Buffer;
  /** Includes the charset. */
  readonly contentType: string;
  /** Replaces the default policy, which forbids everything; for pages that a browser displays. */
  readonly contentSecurityPolicy?: string;
}

/** Serves a file without authentication; responds with 304 if the client has the current version. */
export function staticFile({ bytes, contentType, contentSecurityPolicy }: StaticFile): EdgeMiddleware {
  const rendition = textRendition(contentType, bytes);
  return (ctx) => {
    ctx.set("Cache-Control", shortCaching);
    if (contentSecurityPolicy !== undefined) ctx.set("Content-Security-Policy", contentSecurityPolicy);
    sendRendition(ctx, rendition);
  };
}
