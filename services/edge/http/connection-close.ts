import type { EdgeMiddleware } from "./edge-context.ts";

/**
 * Sends `Connection: close` while the service is stopping: a request that arrives while the server closes the
 * connection would be lost. Must enclose the middleware that converts errors: an unconverted error would skip the
 * statement that sets the header.
 */
export function connectionClose(isStopping: () => boolean): EdgeMiddleware {
  return async (ctx, next) => {
    await next();
    // Evaluated after the handler, so that requests in progress when shutdown starts close their connections too.
    if (isStopping()) ctx.set("Connection", "close");
  };
}
