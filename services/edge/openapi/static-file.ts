import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { EdgeMiddleware } from "../http/edge-context.ts";

/** The `Cache-Control` of what holds nobody's data: five minutes, so that a new release shows soon. */
export const shortCaching = "public, max-age=300";

/** The `Vary` of what is sent compressed to those who take it so. */
export const variesBy = "Accept-Encoding";

/** A reply that is the same for everybody and changes with releases alone. */
export interface StaticFile {
  readonly bytes: Buffer;
  /** With the charset where there is one. */
  readonly contentType: string;
  /** In place of the one that forbids everything: only what is to be shown in a browser needs it. */
  readonly contentSecurityPolicy?: string;
}

interface Representation {
  readonly bytes: Buffer;
  readonly etag: string;
}

/**
 * Answers with a file, or with 304 to whoever has it already. It needs no key. Compressed once, here: whoever asks
 * without a key can ask often.
 */
export function staticFile(file: StaticFile): EdgeMiddleware {
  const plain = representation(file.bytes);
  const gzipped = representation(gzipSync(file.bytes, { level: 9 }));
  return (ctx) => {
    const inGzip = ctx.acceptsEncodings("identity", "gzip") === "gzip";
    const { bytes, etag } = inGzip ? gzipped : plain;
    ctx.status = 200;
    ctx.set({ "Cache-Control": shortCaching, ETag: etag, Vary: variesBy });
    if (file.contentSecurityPolicy !== undefined)
      ctx.set("Content-Security-Policy", file.contentSecurityPolicy);
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
    ctx.set("Content-Type", file.contentType);
    if (inGzip) ctx.set("Content-Encoding", "gzip");
    ctx.body = bytes;
  };
}

function representation(bytes: Buffer): Representation {
  return { bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"` };
}
