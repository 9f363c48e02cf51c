import type { EdgeMiddleware } from "../http/edge-context.ts";

/** Notes which route was found, for the metrics. */
export function matchedRoute(route: string): EdgeMiddleware {
  return (ctx, next) => {
    ctx.state.route = route;
    return next();
  };
}
