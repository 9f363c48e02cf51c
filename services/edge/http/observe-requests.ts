import { Histogram, type Registry } from "prom-client";
import type { Logger } from "#shared/observe/logger.ts";
import { type OpenSpan, SpanKind, startSpan } from "#shared/trace/spans.ts";
import type { EdgeContext, EdgeMiddleware } from "./edge-context.ts";

/**
 * Logs, measures and traces each request, once its response is sent or its connection is closed. All three contain the
 * matched route (`none` for an unknown path) instead of the path and the query: clients put keys, cursors and e-mail
 * addresses into them, and each path would create a time series.
 */
export function observeRequests(logger: Logger, metrics: Registry): EdgeMiddleware {
  const durations = requestDurations(metrics);
  return (ctx, next) => {
    const startedAt = performance.now();
    const span = requestSpan(ctx);
    ctx.state.traceId = span.traceId;
    ctx.res.once("close", () => {
      const { method, res, state } = ctx;
      const ms = performance.now() - startedAt;
      logRequest(logger, ctx, ms);
      const status = res.headersSent ? String(res.statusCode) : "aborted";
      durations.observe({ route: state.route ?? "none", method: methodLabel(method), status }, ms / 1_000);
      if (span.traceId !== undefined) endSpan(span, ctx);
    });
    return span.run(next);
  };
}

/**
 * Logs one line. An `unavailable` error is logged at level warn with its reason, as is a page that leaves out parts; an
 * `internal` error at level error with its cause or, without one, the thrown error.
 */
function logRequest(logger: Logger, { method, res, state }: EdgeContext, ms: number): void {
  const line = {
    method,
    route: state.route ?? "none",
    // Undefined if the client disconnected before the response.
    status: res.headersSent ? res.statusCode : undefined,
    ms: Math.round(ms * 10) / 10,
    client: state.client.text,
    requestId: state.requestId,
    trace_id: state.traceId,
    storeId: state.storeId,
    shop: state.shop,
    error: state.failure?.code,
    aborted: res.writableFinished ? undefined : true,
  };
  const { code, thrown } = state.failure ?? {};
  if (code === "internal") logger.error({ ...line, err: causeOf(thrown) }, "request");
  else if (code === "unavailable") logger.warn({ ...line, reason: reasonOf(thrown) }, "request");
  else if (state.omitted !== undefined) logger.warn({ ...line, omitted: reasonsOf(state.omitted) }, "request");
  else logger.info(line, "request");
}

function causeOf(thrown: unknown): unknown {
  return thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
}

function reasonOf(thrown: unknown): string {
  const cause = causeOf(thrown);
  return cause instanceof Error ? cause.message : String(cause);
}

function reasonsOf(omitted: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(omitted).map(([part, thrown]) => [part, reasonOf(thrown)]));
}

// Routes have only these methods; see Route. Node.js accepts over thirty others, and each would add series.
function methodLabel(method: string): string {
  return method === "GET" || method === "HEAD" || method === "POST" ? method : "other";
}

/** Registers `edge_http_request_duration_seconds`, a histogram by route, method and status. */
function requestDurations(metrics: Registry) {
  const durations = new Histogram({
    name: "edge_http_request_duration_seconds",
    help: "Time from the headers of a request to the end of its response, in seconds. The status is aborted if the connection closed before the response began.",
    labelNames: ["route", "method", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [metrics],
  });
  // The list's service-level objectives use these series; they start at 0, so that rate() includes the first failure.
  for (const status of ["200", "500", "503"]) durations.zero({ route: "/v1/certificates", method: "GET", status });
  return durations;
}

/**
 * Starts a new trace for a request. A `traceparent` from the client is recorded only as a link: otherwise clients could
 * decide which requests are recorded, and combine requests of several stores in one trace.
 */
function requestSpan({ method, headers: { traceparent } }: EdgeContext): OpenSpan {
  const links = typeof traceparent === "string" ? [traceparent] : [];
  return startSpan(method, { kind: SpanKind.SERVER, parent: "", links });
}

function endSpan(span: OpenSpan, { method, res, state }: EdgeContext): void {
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
}
