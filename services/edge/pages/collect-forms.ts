import type { IncomingMessage } from "node:http";
import { badRequest } from "#shared/errors/service-error.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";

// Each of a report's 4,000 characters takes up to nine bytes in percent-encoding.
const formBytesMax = 64 * 1_024;
const formType = "application/x-www-form-urlencoded";

/**
 * Collects the body of a form (`application/x-www-form-urlencoded`). Must run before any middleware that waits: the
 * server discards the parts of a body that arrive before this middleware runs.
 */
export function collectForms(): EdgeMiddleware {
  return (ctx, next) => {
    const type = ctx.req.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
    if (ctx.method === "POST" && type === formType) {
      const form = collect(ctx.req);
      // Prevents an unhandled rejection if no handler uses the form. A handler that awaits it still gets the error.
      form.catch(() => undefined);
      ctx.state.form = form;
    }
    return next();
  };
}

function collect(request: IncomingMessage): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= formBytesMax) chunks.push(chunk);
    });
    request.once("end", () => {
      if (length <= formBytesMax) resolve(new URLSearchParams(Buffer.concat(chunks).toString("utf8")));
      else reject(badRequest("form", "is too large"));
    });
    request.once("close", () => reject(badRequest("form", "was not received in full; send it again")));
  });
}
