import { sum } from "../../harness/statistics.ts";
import { latenciesOf } from "../runner/latencies.ts";
import type { CheckReport } from "../runner/run-check.ts";
import type { GeneratedLoad } from "./generate-load.ts";
import { evaluatedFromSeconds, memoryTrend } from "./memory.ts";
import type { LimitOptions } from "./options.ts";
import type { Verdict } from "./verdict.ts";

interface LimitReport {
  readonly load: GeneratedLoad;
  /** One verdict per store. */
  readonly verdicts: readonly Verdict[];
  /** Samples of resident memory in MiB, by process name. */
  readonly memory: Readonly<Record<string, readonly number[]>>;
  /** Why the load ended early; undefined otherwise. */
  readonly endedEarly: string | undefined;
}

/**
 * Reports a run. The run passes when every decision was correct, no request failed, every store was refused at least
 * once (unless the run ended early) and, in runs of at least four minutes, the memory of the services was flat (see
 * {@link memoryTrend}). The database's memory is reported but not evaluated, because it grows to the size of its cache.
 */
export function reportOf(options: LimitOptions, report: LimitReport): CheckReport {
  const { load, verdicts, memory, endedEarly } = report;
  const complete = endedEarly === undefined;
  const { stores, times, seconds, limit, windowMs, limitOfRegistry = limit } = options;
  const sumOf = (count: (verdict: Verdict) => number) => sum(verdicts.map(count));
  const exchanges = load.exchanges.flat();
  const perSecond = (1_000 * exchanges.length) / load.elapsedMs;
  const durationsMs = exchanges.map(({ sentAt, receivedAt }) => receivedAt - sentAt);
  const { requests, p50Ms, p99Ms } = latenciesOf(durationsMs, load.errors);
  const trends = Object.entries(memory).map(([name, samples]) => [name, memoryTrend(samples)] as const);
  const isFlat = trends.every(([name, trend]) => name === "database" || trend.isFlat);
  const timesReached = (exchanges.length * windowMs) / (load.storesMs * limit);
  const wrong = {
    over_limit: sumOf(({ over }) => over),
    under_limit: sumOf(({ under }) => under),
    unmatched: sumOf(({ unmatched }) => unmatched),
    // A load that ended early may not have reached every store's limit.
    never_full: complete ? verdicts.filter(({ refused }) => refused === 0).length : 0,
    errors: load.errors,
  };
  const counts = {
    stores,
    times,
    limit,
    window_ms: windowMs,
    limit_of_registry: limitOfRegistry,
    seconds,
    requests,
    admitted: sumOf(({ admitted }) => admitted),
    refused: sumOf(({ refused }) => refused),
    ...wrong,
    shed: load.shed,
    fullest_window: Math.max(...verdicts.map(({ fullest }) => fullest)),
    requests_per_second: Math.round(perSecond),
    times_reached: Number(timesReached.toFixed(1)),
    p50_ms: p50Ms,
    p99_ms: p99Ms,
    memory_mb: Object.fromEntries(
      trends.map(([name, { before, after }]) => [name, { before: Math.round(before), after: Math.round(after) }]),
    ),
    flat: load.elapsedMs < 1_000 * evaluatedFromSeconds ? null : isFlat,
    complete,
  };
  return {
    lines: [
      ...(complete ? [] : [`ended early (${endedEarly}); the verdict covers the observations so far`]),
      `load: ${timesReached.toFixed(1)} times the limit (target ${times}), ${counts.requests_per_second} requests/s, ${load.shed} shed`,
      `errors: ${load.problems}`,
    ],
    json: JSON.stringify(counts),
    passed: Object.values(wrong).every((count) => count === 0) && counts.flat !== false,
    complete,
  };
}
