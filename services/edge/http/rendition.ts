import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { EdgeContext, EdgeMiddleware } from "./edge-context.ts";

/** The `Vary` header of documents that can be sent compressed. */
export const variesBy = "Accept-Encoding";

/** The `Cache-Control` of documents without personal data: five minutes, so that a new release becomes visible soon. */
export const shortCaching = "public, max-age=300";

/** The header of files whose content never changes under their address. */
export const immutable = { "Cache-Control": "public, max-age=31536000, immutable" };

/** A document in each encoding in which it can be sent. */
export interface Rendition {
  /** Includes the charset for text. */
  readonly contentType: string;
  readonly plain: Encoded;
  /** Absent for content that is already compressed. */
  readonly gzipped?: Encoded;
}

interface Encoded {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** Compresses text in advance, so that requests for it cost little. */
export function textRendition(contentType: string, bytes: Buffer, level = 9): Rendition {
  return { contentType, plain: encoded(bytes), gzipped: encoded(gzipSync(bytes, { level })) };
}

/** Wraps content that is already compressed, such as an image. */
export function binaryRendition(contentType: string, bytes: Buffer): Rendition {
  return { contentType, plain: encoded(bytes) };
}

/** Sends the content, or 304 if the client has the current version. */
export function sendRendition(ctx: EdgeContext, { contentType, plain, gzipped }: Rendition): void {
  const useGzip = gzipped !== undefined && ctx.acceptsEncodings("identity", "gzip") === "gzip";
  const { bytes, etag } = useGzip ? gzipped : plain;
  ctx.status = 200;
  ctx.set({ ETag: etag, ...(gzipped && { Vary: variesBy }) });
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  ctx.set("Content-Type", contentType);
  if (useGzip) ctx.set("Content-Encoding", "gzip");
  ctx.body = bytes;
}

/** Returns the handler that sends a document. @param headers of the response, also of one with status 304 */
export function sendFixed(document: Rendition, headers: Readonly<Record<string, string>>): EdgeMiddleware {
  return (ctx) => {
    ctx.set(headers);
    sendRendition(ctx, document);
  };
}

function encoded(bytes: Buffer): Encoded {
  return { bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"` };
}
