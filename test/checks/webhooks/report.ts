import { sum } from "../../harness/statistics.ts";
import { type MemorySamples, memoryReport } from "../limit/memory.ts";
import type { Counter } from "../runner/counter.ts";
import { type CheckReport, firstFindings } from "../runner/run-check.ts";
import { handlingOf, type WebhooksOptions } from "./options.ts";
import type { TriggerVerdict } from "./trigger-verdict.ts";
import type { Verdict } from "./verdict.ts";

interface WebhooksReport {
  readonly events: number;
  readonly verdict: Verdict;
  readonly triggers: TriggerVerdict;
  /** Number of events by outcome. */
  readonly outcomes: Counter;
  readonly calls: Counter;
  /** Number of kills of the database, NATS and the registries. */
  readonly processKills: number;
  /** Number of notifier kills by step. */
  readonly stepKills: ReadonlyMap<string, number>;
  /** One line for every process exit that the check did not cause. */
  readonly crashes: readonly string[];
  /** Why the run ended before its goal; undefined if it reached its goal. */
  readonly endedEarly: string | undefined;
  readonly memory: MemorySamples;
}

/**
 * Reports a run. The run passes when no violation was found, no process crashed and, in runs of at least four minutes,
 * the memory of every process except the database was flat (see memoryReport).
 */
export function reportOf(options: WebhooksOptions, report: WebhooksReport): CheckReport {
  const { verdict, triggers, processKills, stepKills, endedEarly } = report;
  const { memory_mb, flat } = memoryReport(report.memory);
  const steps = Array.from(stepKills, ([step, count]) => `${step} ${count}`).join(", ");
  const violations = {
    doubled: verdict.doubled,
    out_of_order: verdict.outOfOrder,
    without_outcome: verdict.withoutOutcome,
    lost: verdict.lost,
    unexplained: verdict.unexplained,
    untrue: verdict.untrue,
    wrong: verdict.wrong,
    trigger_lost: triggers.lost,
    trigger_out_of_order: triggers.outOfOrder,
    crashed: report.crashes.length,
  };
  return {
    lines: [
      `writer calls: ${report.calls}`,
      `outcomes: ${report.outcomes}`,
      `notifier kills: ${steps || "none"}; kills of servers and registries: ${processKills}`,
      ...(endedEarly === undefined ? [] : [`ended early (${endedEarly}); the verdict covers the observations so far`]),
      ...firstFindings([...report.crashes, ...verdict.findings, ...triggers.findings]),
    ],
    json: JSON.stringify({
      seed: options.seed,
      events: report.events,
      posts: verdict.posts,
      trigger_posts: triggers.posts,
      ...violations,
      interrupted: verdict.interrupted,
      skipped: verdict.skipped,
      kills: processKills + sum(stepKills.values()),
      stores: options.stores,
      seconds: Math.round(performance.now() / 1_000),
      handling: handlingOf(options),
      complete: endedEarly === undefined,
      memory_mb,
      flat,
    }),
    passed: Object.values(violations).every((count) => count === 0) && flat !== false,
    complete: endedEarly === undefined,
  };
}
