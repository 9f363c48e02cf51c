import { randomUUID } from "node:crypto";
import type { EdgeMiddleware } from "../http/edge-context.ts";

/** Generates an id for each request and returns it in `X-Request-Id`. Ignores an id sent by the client. */
export function requestId(): EdgeMiddleware {
  return (ctx, next) => {
    ctx.state.requestId = randomUUID();
    ctx.set("X-Request-Id", ctx.state.requestId);
    return next();
  };
}
