import type { ReportLines } from "../runner/conduct.ts";
import { latenciesOf } from "../runner/latencies.ts";
import type { Demanded } from "./demand.ts";
import { memoryTrend } from "./memory.ts";
import type { LimitOptions } from "./options.ts";
import type { Verdict } from "./verdict.ts";

/** What came out of a run. */
export interface RunReport {
  readonly demanded: Demanded;
  /** Of each store. */
  readonly verdicts: readonly Verdict[];
  /** Resident memory over the run, in MiB, of the database and of each service. */
  readonly memory: {
    readonly database: readonly number[];
    readonly services: Readonly<Record<string, readonly number[]>>;
  };
}

// A program that runs for less is still warming up.
const memoryJudgedFromSeconds = 240;

/**
 * Puts a run into words. Good: nothing over, nothing under, nothing unmatched, no error, every store asked for more than it
 * got, and, in runs of four minutes or more, the services' memory flat. The database's memory is told, not judged: it keeps
 * what fits.
 */
export function reportLines(options: LimitOptions, { demanded, verdicts, memory }: RunReport): ReportLines {
  const { stores, times, seconds, policy, limitOfRegistry } = options;
  const sum = (count: (verdict: Verdict) => number) => verdicts.reduce((total, one) => total + count(one), 0);
  const exchanges = demanded.exchanges.flat();
  const perSecond = (1_000 * exchanges.length) / demanded.elapsedMs;
  const durationsMs = exchanges.map(({ sentAt, receivedAt }) => receivedAt - sentAt);
  const { requests, p50Ms, p99Ms } = latenciesOf(durationsMs, demanded.errors);
  const trends = Object.entries({ database: memory.database, ...memory.services }).map(
    ([name, samples]) => [name, memoryTrend(samples)] as const,
  );
  const isFlat = trends.every(([name, trend]) => name === "database" || trend.isFlat);
  const timesReached = (exchanges.length * policy.windowMs) / (demanded.storesMs * policy.limit);
  const wrong = {
    over_limit: sum(({ over }) => over),
    under_limit: sum(({ under }) => under),
    unmatched: sum(({ unmatched }) => unmatched),
    never_full: verdicts.filter(({ refused }) => refused === 0).length,
    errors: demanded.errors,
  };
  const counts = {
    ...{ stores, times, limit: policy.limit, window_ms: policy.windowMs, limit_of_registry: limitOfRegistry },
    seconds,
    requests,
    admitted: sum(({ admitted }) => admitted),
    refused: sum(({ refused }) => refused),
    ...wrong,
    fullest_window: Math.max(...verdicts.map(({ fullest }) => fullest)),
    requests_per_second: Math.round(perSecond),
    times_reached: Number(timesReached.toFixed(1)),
    p50_ms: p50Ms,
    p99_ms: p99Ms,
    memory_mb: Object.fromEntries(
      trends.map(([name, { before, after }]) => [
        name,
        { before: Math.round(before), after: Math.round(after) },
      ]),
    ),
    flat: seconds < memoryJudgedFromSeconds ? null : isFlat,
  };
  return {
    lines: [
      `wanted: ${times} times the limit; reached: ${timesReached.toFixed(1)} times, ${counts.requests_per_second} requests/s`,
      `errors: ${demanded.problems}`,
    ],
    json: JSON.stringify(counts),
    isGood: Object.values(wrong).every((count) => count === 0) && counts.flat !== false,
  };
}
