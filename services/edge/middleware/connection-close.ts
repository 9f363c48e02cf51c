import type { EdgeMiddleware } from "../http/edge-context.ts";

/**
 * While the service stops, asks clients to close their connections: a request on a connection that the server closes
 * at the same moment would be lost.
 */
export function connectionClose(isStopping: () => boolean): EdgeMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } finally {
      // Asked late: a reply that is under way when the service is told to stop must end its connection, too.
      if (isStopping()) ctx.set("Connection", "close");
    }
  };
}
