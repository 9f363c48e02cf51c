import { defaultHeaders } from "../http/default-headers.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";

/** Sets the headers of every response. */
export function securityHeaders(): EdgeMiddleware {
  return (ctx, next) => {
    ctx.set(defaultHeaders);
    return next();
  };
}
