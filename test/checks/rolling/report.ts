import type { Counter } from "../runner/counter.ts";
import { type CheckReport, firstFindings } from "../runner/run-check.ts";
import type { Verdict } from "../webhooks/verdict.ts";
import type { ListLoad } from "./list-load.ts";
import type { RollingOptions } from "./options.ts";
import type { RollingRestarts } from "./rolling-restarts.ts";

interface RollingReport {
  readonly restarts: Pick<RollingRestarts, "completed" | "processes" | "uncleanStops">;
  readonly load: Pick<ListLoad, "requests" | "failures">;
  readonly events: number;
  readonly verdict: Verdict;
  readonly calls: Counter;
  /** One line for every process exit that the check did not cause. */
  readonly crashes: readonly string[];
  /** Why the run ended before its goal; undefined if it reached its goal. */
  readonly endedEarly: string | undefined;
}

/** Reports a run. The run passes when there was load and no violation was found. */
export function reportOf(options: RollingOptions, report: RollingReport): CheckReport {
  const { restarts, load, events, verdict, calls, crashes, endedEarly } = report;
  const violations = {
    failed_requests: load.failures.length,
    lost: verdict.lost,
    doubled: verdict.doubled,
    out_of_order: verdict.outOfOrder,
    without_outcome: verdict.withoutOutcome,
    unexplained: verdict.unexplained,
    untrue: verdict.untrue,
    wrong: verdict.wrong,
    unclean_stops: restarts.uncleanStops.length,
    crashed: crashes.length,
  };
  return {
    lines: [
      `writer calls: ${calls}`,
      ...(endedEarly === undefined ? [] : [`ended early (${endedEarly}); the verdict covers the observations so far`]),
      ...firstFindings([...crashes, ...restarts.uncleanStops, ...load.failures, ...verdict.findings]),
    ],
    json: JSON.stringify({
      seed: options.seed,
      restarts: restarts.completed,
      processes: restarts.processes,
      requests: load.requests,
      events,
      posts: verdict.posts,
      ...violations,
      stores: options.stores,
      seconds: Math.round(performance.now() / 1_000),
      complete: endedEarly === undefined,
    }),
    passed: load.requests > 0 && events > 0 && Object.values(violations).every((count) => count === 0),
    complete: endedEarly === undefined,
  };
}
