import { sum } from "../../harness/statistics.ts";
import { type MemorySamples, memoryReport } from "../limit/memory.ts";
import type { Counter } from "../runner/counter.ts";
import { type CheckReport, firstFindings } from "../runner/run-check.ts";
import type { FeedOptions } from "./options.ts";
import { changesIn, type SettledFeed } from "./settle.ts";
import type { Verdict } from "./verdict.ts";

interface FeedReport extends Omit<SettledFeed, "isQuiet"> {
  readonly verdict: Verdict;
  /** Why the run ended before its goal; undefined if it reached its goal. */
  readonly endedEarly: string | undefined;
  readonly memory: MemorySamples;
  readonly kills: number;
  readonly replies: Counter;
  readonly calls: Counter;
  /** What an outage of the database must not cause; empty without an outage. */
  readonly outageFindings: readonly string[];
}

/**
 * Reports a run. The run passes when no violation was found, every client finished and, in runs of at least four
 * minutes, the memory of every process except the database was flat (see memoryReport).
 */
export function reportOf(options: FeedOptions, report: FeedReport): CheckReport {
  const { expected, verdict, unfinished, kills, replies, calls, endedEarly, outageFindings } = report;
  const { memory_mb, flat } = memoryReport(report.memory);
  const { missed, outOfOrder, doubled, phantom, findings } = verdict;
  return {
    lines: [
      `writer calls: ${calls}`,
      `failed client requests and crashes: ${replies}`,
      `certificates: ${sum(Array.from(expected.stores.values(), ({ size }) => size))}`,
      ...(endedEarly === undefined ? [] : [`ended early (${endedEarly}); the verdict covers the observations so far`]),
      ...unfinished.map((reason) => `a client did not finish: ${reason}`),
      ...outageFindings,
      ...firstFindings(findings),
    ],
    json: JSON.stringify({
      seed: options.seed,
      changes: changesIn(expected),
      missed,
      out_of_order: outOfOrder,
      doubled,
      phantom,
      complete: endedEarly === undefined,
      kills,
      clients: options.clients,
      stores: options.stores,
      seconds: Math.round(performance.now() / 1_000),
      plain_clock: options.plainClock,
      memory_mb,
      flat,
    }),
    passed: missed + outOfOrder + doubled + phantom + unfinished.length + outageFindings.length === 0 && flat !== false,
    complete: endedEarly === undefined,
  };
}
