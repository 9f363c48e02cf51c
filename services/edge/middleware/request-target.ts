import type { EdgeMiddleware } from "../http/edge-context.ts";
import { parseRequestTarget } from "../http/request-target.ts";

/**
 * Parses the request target into the state and replaces `req.url` with its path: Koa and the router parse `req.url` in a way
 * that throws on some targets.
 */
export function requestTarget(): EdgeMiddleware {
  return (ctx, next) => {
    ctx.state.target = parseRequestTarget(ctx.req.url ?? "");
    ctx.req.url = ctx.state.target.path;
    return next();
  };
}
