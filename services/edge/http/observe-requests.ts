import { Histogram, type Registry } from "prom-client";
import type { Logger } from "#shared/observe/logger.ts";
import { SpanKind, startSpan } from "#shared/trace/spans.ts";
import type { EdgeMiddleware, Failure } from "./edge-context.ts";

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

/** Records `edge_http_request_duration_seconds`, a histogram by route, method and status. */
export function requestMetrics(metrics: Registry): EdgeMiddleware {
  const durations = new Histogram({
    name: "edge_http_request_duration_seconds",
    help: "Time from the headers of a request to the end of its response, in seconds. The status is aborted if the connection closed before the response began.",
    labelNames: ["route", "method", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [metrics],
  });
  // The list's service-level objectives use these series; they start at 0, so that rate() includes the first failure.
  for (const status of ["200", "500", "503"]) durations.zero({ route: "/v1/certificates", method: "GET", status });
  return (ctx, next) => {
    const startedAt = performance.now();
    const { method, res, state } = ctx;
    res.once("close", () => {
      const status = res.headersSent ? String(res.statusCode) : "aborted";
      // Uses the route, not the path: every path that a client tries would create a time series.
      const labels = { route: state.route ?? "none", method, status };
      durations.observe(labels, (performance.now() - startedAt) / 1_000);
    });
    return next();
  };
}

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
