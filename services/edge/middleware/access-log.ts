import type { Logger } from "#shared/observe/logger.ts";
import type { EdgeMiddleware, Failure } from "../http/edge-context.ts";
import { redactPath } from "../http/redact-path.ts";

/**
 * Writes one line for each request, when its reply has been sent or its connection is gone. It holds neither the key nor
 * the query: e-mail addresses are in there. An `unavailable` is a warning with its reason; an `internal` is an error with
 * what was thrown.
 */
export function accessLog(logger: Logger): EdgeMiddleware {
  return (ctx, next) => {
    const startedAt = performance.now();
    const { method, res, state } = ctx;
    res.once("close", () => {
      const line = {
        method,
        path: redactPath(state.target.path),
        // Undefined when the client was gone before there was a reply.
        status: res.headersSent ? res.statusCode : undefined,
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        client: state.client?.text,
        requestId: state.requestId,
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
  else if (code === "unavailable") logger.warn({ ...line, reason: messageOf(cause) }, "request");
  else logger.info(line, "request");
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
