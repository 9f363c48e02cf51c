import type { ReportLines } from "../runner/conduct.ts";
import type { Tally } from "../runner/tally.ts";
import type { CheckOptions } from "./options.ts";
import { changesIn, type Settled } from "./settle.ts";
import type { Verdict } from "./verdict.ts";

/** What came out of a run. */
export interface RunReport extends Settled {
  readonly verdict: Verdict;
  readonly kills: number;
  /** What the clients' requests ended with, unless with a page. */
  readonly replies: Tally;
  /** What the writers' calls ended with. */
  readonly calls: Tally;
}

const findingsMax = 20;

/** Puts a run into words. */
export function reportLines(options: CheckOptions, report: RunReport, durationMs: number): ReportLines {
  const { truth, verdict, unfinished, kills, replies, calls } = report;
  const { missed, outOfOrder, doubled, phantom, findings } = verdict;
  const certificates = [...truth.stores.values()].reduce((sum, { size }) => sum + size, 0);
  const more = findings.length > findingsMax ? [`and ${findings.length - findingsMax} more`] : [];
  return {
    lines: [
      `writers' calls: ${calls}`,
      `clients' requests: ${replies}`,
      `certificates in the end: ${certificates}`,
      ...unfinished.map((reason) => `a client did not finish: ${reason}`),
      ...findings.slice(0, findingsMax),
      ...more,
    ],
    json: JSON.stringify({
      seed: options.seed,
      changes: changesIn(truth),
      missed,
      out_of_order: outOfOrder,
      doubled,
      phantom,
      kills,
      clients: options.clients,
      stores: options.stores,
      seconds: Math.round(durationMs / 1_000),
      plain_clock: options.plainClock,
    }),
    isGood: missed + outOfOrder + doubled + phantom + unfinished.length === 0,
  };
}
