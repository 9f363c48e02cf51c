import { sum } from "../../harness/statistics.ts";
import type { CheckReport } from "../runner/run-check.ts";
import type { ServedRequests } from "./served-requests.ts";

interface ApiReport {
  readonly seed: number;
  readonly cases: number;
  readonly failures: number;
  /** Requests to the unlimited edge. */
  readonly served: ServedRequests;
  /** Requests to the limited edge. */
  readonly servedLimited: ServedRequests;
  readonly durationMs: number;
  /** Why the run ended before all cases were run; undefined otherwise. */
  readonly endedEarly: string | undefined;
}

/**
 * Reports a run. The run passes when there were no failures, no 5xx responses and, unless the run ended early, at least
 * one 429 from the limited edge.
 */
export function reportOf(report: ApiReport): CheckReport {
  const { seed, cases, failures, served, servedLimited, durationMs, endedEarly } = report;
  const complete = endedEarly === undefined;
  const rateLimited = servedLimited["429"] ?? 0;
  const serverErrors = countServerErrors(served) + countServerErrors(servedLimited);
  const counts = {
    seed,
    cases,
    requests: sum(Object.values(served)),
    statuses: served,
    limited_requests: sum(Object.values(servedLimited)),
    rate_limited: rateLimited,
    server_errors: serverErrors,
    failures,
    seconds: Math.round(durationMs / 1_000),
    complete,
  };
  return {
    lines: [
      ...(complete ? [] : [`ended early (${endedEarly}); the verdict covers the observations so far`]),
      `${cases} test cases, ${failures} failures, ${serverErrors} responses with status 5xx`,
    ],
    json: JSON.stringify(counts),
    passed: failures + serverErrors === 0 && (rateLimited > 0 || !complete),
    complete,
  };
}

function countServerErrors(served: ServedRequests): number {
  return sum(Object.entries(served).map(([status, count]) => (status.startsWith("5") ? count : 0)));
}
