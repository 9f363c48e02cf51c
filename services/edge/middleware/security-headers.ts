import type { EdgeMiddleware } from "../http/edge-context.ts";
import { fixedHeaders } from "../http/fixed-headers.ts";

/** Sets the headers that every reply carries. */
export function securityHeaders(): EdgeMiddleware {
  return (ctx, next) => {
    ctx.set(fixedHeaders);
    return next();
  };
}
