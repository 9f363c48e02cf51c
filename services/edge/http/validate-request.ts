import { badRequest } from "#shared/errors/service-error.ts";
import type { EdgeMiddleware } from "./edge-context.ts";
import { HttpStatusError } from "./errors.ts";

/**
 * Rejects an HTTP/1.1 request with 400 unless it has exactly one `Host` header (RFC 9112 §3.2), and with 417 if it has
 * an `Expect` value other than `100-continue` (RFC 9110 §10.1.1).
 */
export function validateRequest(): EdgeMiddleware {
  return (ctx, next) => {
    const { httpVersion, headers, headersDistinct } = ctx.req;
    if (httpVersion !== "1.1") return next();
    if (headersDistinct.host?.length !== 1)
      throw badRequest("Host", "is missing or given more than once. Send exactly one Host header.");
    const expectation = headers.expect ?? "100-continue";
    if (expectation.toLowerCase() !== "100-continue")
      throw new HttpStatusError(417, "The Expect header has a value other than 100-continue. Omit the header.");
    return next();
  };
}
