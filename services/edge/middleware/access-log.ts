import type { Logger } from "#shared/observe/logger.ts";
import type { EdgeMiddleware, Failure } from "../http/edge-context.ts";

/**
 * Logs one line per request, once its response is sent or its connection is closed. The line contains the matched route
 * (`none` for an unknown path) instead of the path and the query, because clients put keys, cursors and e-mail
 * addresses into paths and queries. An `unavailable` error is logged at level warn with its reason, an `internal` error
 * at level error with its cause or, without one, the thrown error.
 */
export function accessLog(logger: Logger): EdgeMiddleware {
  return (ctx, next) => {
    const startedAt = performance.now();
    const { method, res, state } = ctx;
    res.once("close", () => {
      const line = {
        method,
        route: state.route ?? "none",
        // Undefined if the client disconnected before the response.
        status: res.headersSent ? res.statusCode : undefined,
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        client: state.client?.text,
        requestId: state.requestId,
        trace_id: state.traceId,
        storeId: state.storeId,
        error: state.failure?.code,
        aborted: res.writableFinished ? undefined : true,
      };
      if (state.failure === undefined) logger.info(line, "request");
      else logFailure(logger, line, state.failure);
    });
    return next();
  };
}

function logFailure(logger: Logger, line: object, { code, thrown }: Failure): void {
  const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
  if (code === "internal") logger.error({ ...line, err: cause }, "request");
  else if (code === "unavailable")
    logger.warn({ ...line, reason: cause instanceof Error ? cause.message : String(cause) }, "request");
  else logger.info(line, "request");
}
