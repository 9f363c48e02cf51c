import type { EdgeMiddleware } from "../http/edge-context.ts";

/**
 * Sends `Connection: close` while the service is stopping: a request that arrives while the server closes the
 * connection would be lost. Must enclose the conversion of errors, so that failed requests close their connections too.
 */
export function connectionClose(isStopping: () => boolean): EdgeMiddleware {
  return async (ctx, next) => {
    await next();
    // Evaluated after the handler, so that requests in progress when shutdown starts close their connections too.
    if (isStopping()) ctx.set("Connection", "close");
  };
}
