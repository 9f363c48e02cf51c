import { badRequest } from "#shared/errors/service-error.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";
import { HttpStatusError } from "../http/http-status-error.ts";

/**
 * Refuses what HTTP/1.1 tells a server to refuse: not exactly one `Host` (RFC 9112 §3.2) with 400, and an `Expect` other
 * than `100-continue` (RFC 9110 §10.1.1) with 417.
 */
export function validateRequest(): EdgeMiddleware {
  return (ctx, next) => {
    const { httpVersion, headers } = ctx.req;
    if (httpVersion === "1.1") {
      const { host: hosts } = ctx.req.headersDistinct;
      if (hosts?.length !== 1) throw badRequest("Host", "must be given, once.");
      const expectation = headers.expect ?? "100-continue";
      if (expectation.toLowerCase() !== "100-continue") {
        throw new HttpStatusError(417, "Expect can only be 100-continue. Leave it out.");
      }
    }
    return next();
  };
}
