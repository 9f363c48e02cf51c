import type { EdgeMiddleware } from "../http/edge-context.ts";
import { parseRequestTarget } from "../http/request-target.ts";

/**
 * Reads the request's target and leaves only its path in place: Koa and the router parse `req.url` in a way that throws
 * on some targets. The query is in the state, as it came.
 */
export function requestTarget(): EdgeMiddleware {
  return (ctx, next) => {
    ctx.state.target = parseRequestTarget(ctx.req.url ?? "");
    ctx.req.url = ctx.state.target.path;
    return next();
  };
}
