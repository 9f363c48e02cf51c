import { Histogram, type Registry } from "prom-client";
import type { EdgeMiddleware } from "../http/edge-context.ts";

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
