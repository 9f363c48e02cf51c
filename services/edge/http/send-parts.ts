import type { EdgeMiddleware } from "./edge-context.ts";

/**
 * Sends a response body that consists of several parts, in one write and without joining them: a joined copy of a page
 * would cost more in garbage collection than all other work on its response. Must enclose all middleware that sets the
 * response.
 */
export function sendParts(): EdgeMiddleware {
  return async (ctx, next) => {
    await next();
    const { bodyParts } = ctx.state;
    if (bodyParts === undefined || !ctx.writable) return;
    const { req, res } = ctx;
    ctx.respond = false;
    res.setHeader(
      "Content-Length",
      bodyParts.reduce((sum, { byteLength }) => sum + byteLength, 0),
    );
    res.cork();
    if (req.method !== "HEAD") for (const part of bodyParts) res.write(part);
    res.end();
  };
}
