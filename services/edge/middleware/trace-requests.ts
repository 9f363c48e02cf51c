import { SpanKind, startSpan } from "#shared/trace/spans.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";

/**
 * Starts a new trace for each request. A `traceparent` from the client is recorded only as a link: otherwise clients
 * could decide which requests are recorded, and combine requests of several stores in one trace.
 */
export function traceRequests(): EdgeMiddleware {
  return (ctx, next) => {
    const { method, req, res, state } = ctx;
    const given = req.headers.traceparent;
    const span = startSpan(method, { kind: SpanKind.SERVER, parent: "", ...(isText(given) && { links: [given] }) });
    if (span.traceId === undefined) return next();
    state.traceId = span.traceId;
    res.once("close", () => {
      const route = state.route ?? "none";
      span.rename(`${method} ${route}`);
      span.set({
        "http.request.method": method,
        "http.route": route,
        "certificate_registry.request_id": state.requestId,
        ...(res.headersSent && { "http.response.status_code": res.statusCode }),
        ...(state.storeId !== undefined && { "certificate_registry.store_id": state.storeId }),
      });
      span.end(!res.headersSent ? "aborted" : res.statusCode >= 500 ? state.failure?.thrown : undefined);
    });
    return span.run(next);
  };
}

function isText(value: string | string[] | undefined): value is string {
  return typeof value === "string";
}
