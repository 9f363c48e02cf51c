import type { EdgeMiddleware } from "../http/edge-context.ts";

/** Stores the matched route in the state, for the metrics. */
export function matchedRoute(route: string): EdgeMiddleware {
  return (ctx, next) => {
    ctx.state.route = route;
    return next();
  };
}
