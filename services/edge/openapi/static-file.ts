import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { EdgeMiddleware } from "../http/edge-context.ts";

/** The `Cache-Control` of documents without personal data: five minutes, so that a new release becomes visible soon. */
export const shortCaching = "public, max-age=300";

/** The `Vary` of documents that are compressed on request. */
export const variesBy = "Accept-Encoding";

/** A file that is the same for all clients and changes only with a release. */
export interface StaticFile {
  readonly bytes: Buffer;
  /** Includes the charset for text. */
  readonly contentType: string;
  /** Replaces the default policy, which forbids everything; for pages that a browser displays. */
  readonly contentSecurityPolicy?: string;
}

/**
 * Serves a file without authentication; responds with 304 if the client has the current version. The file is compressed
 * only once, because unauthenticated clients can request it without a limit.
 */
export function staticFile(file: StaticFile): EdgeMiddleware {
  const plain = representation(file.bytes);
  const gzipped = representation(gzipSync(file.bytes, { level: 9 }));
  return (ctx) => {
    const useGzip = ctx.acceptsEncodings("identity", "gzip") === "gzip";
    const { bytes, etag } = useGzip ? gzipped : plain;
    ctx.status = 200;
    ctx.set({ "Cache-Control": shortCaching, ETag: etag, Vary: variesBy });
    if (file.contentSecurityPolicy !== undefined) ctx.set("Content-Security-Policy", file.contentSecurityPolicy);
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
    ctx.set("Content-Type", file.contentType);
    if (useGzip) ctx.set("Content-Encoding", "gzip");
    ctx.body = bytes;
  };
}

function representation(bytes: Buffer) {
  return { bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"` };
}
