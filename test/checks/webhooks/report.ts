import type { ReportLines } from "../runner/conduct.ts";
import type { Tally } from "../runner/tally.ts";
import type { CheckOptions } from "./options.ts";
import type { Verdict } from "./verdict.ts";

/** What came out of a run. */
export interface RunReport {
  readonly events: number;
  readonly verdict: Verdict;
  /** How the events ended. */
  readonly outcomes: Tally;
  /** What the writers' calls ended with. */
  readonly calls: Tally;
  /** Kills of servers and registries. */
  readonly partKills: number;
  /** Kills of notifiers, by step. */
  readonly stepKills: ReadonlyMap<string, number>;
}

const findingsMax = 20;

/** Puts a run into words. */
export function reportLines(options: CheckOptions, report: RunReport, durationMs: number): ReportLines {
  const { verdict, partKills, stepKills } = report;
  const { findings } = verdict;
  const more = findings.length > findingsMax ? [`and ${findings.length - findingsMax} more`] : [];
  const notifierKills = [...stepKills.values()].reduce((sum, count) => sum + count, 0);
  const steps = Array.from(stepKills, ([step, count]) => `${step} ${count}`).join(", ");
  const faults = {
    doubled: verdict.doubled,
    out_of_order: verdict.outOfOrder,
    without_outcome: verdict.withoutOutcome,
    lost: verdict.lost,
    untrue: verdict.untrue,
    wrong: verdict.wrong,
  };
  return {
    lines: [
      `writers' calls: ${report.calls}`,
      `outcomes: ${report.outcomes}`,
      `notifiers killed: ${steps || "none"}; servers and registries killed: ${partKills}`,
      ...findings.slice(0, findingsMax),
      ...more,
    ],
    json: JSON.stringify({
      seed: options.seed,
      events: report.events,
      posts: verdict.posts,
      ...faults,
      interrupted: verdict.interrupted,
      skipped: verdict.skipped,
      kills: partKills + notifierKills,
      stores: options.stores,
      seconds: Math.round(durationMs / 1_000),
      handling: options.handling,
    }),
    isGood: Object.values(faults).every((count) => count === 0),
  };
}
