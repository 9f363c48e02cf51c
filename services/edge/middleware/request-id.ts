import { randomUUID } from "node:crypto";
import type { EdgeMiddleware } from "../http/edge-context.ts";

/** Gives each request an id of its own, also in the reply's `X-Request-Id`. One that a client sends is not used. */
export function requestId(): EdgeMiddleware {
  return (ctx, next) => {
    ctx.state.requestId = randomUUID();
    ctx.set("X-Request-Id", ctx.state.requestId);
    return next();
  };
}
