import { sum } from "../../harness/statistics.ts";
import { memoryTrend } from "../limit/memory.ts";
import { type CheckReport, firstFindings } from "../runner/run-check.ts";
import type { EndCounts, StreamResult } from "./load-plan.ts";
import type { OverloadOptions } from "./options.ts";
import { goodputOf, type Measurement, type Overload, otherP99RatioOf, placesLostIn, type Verdict } from "./verdict.ts";
import type { WebhookCounts } from "./webhooks.ts";

interface OverloadReport {
  readonly measurements: readonly Measurement[];
  readonly overloads: readonly Overload[];
  readonly verdict: Verdict;
  /** Undefined if the run ended early. */
  readonly webhooks: WebhookCounts | undefined;
  /** Samples of resident memory in MiB, by process name. */
  readonly memory: Readonly<Record<string, readonly number[]>>;
}

// Shorter runs end while the processes are still warming up.
const memoryEvaluatedFromMinutes = 10;

// If other programs use more than this share of the processors, they distort rates and latencies.
const otherProgramsMax = 0.15;

/** Reports a run. The run passes if there are no findings. A run that ended early reports its measurements so far. */
export function reportOf(options: OverloadOptions, report: OverloadReport): CheckReport {
  const { measurements, overloads, verdict, webhooks, memory } = report;
  const { seed, seconds, stores, others, minutes, short } = options;
  const trends = Object.entries(memory).map(([name, samples]) => [name, memoryTrend(samples)] as const);
  const isFlat = minutes < memoryEvaluatedFromMinutes ? null : trends.every(([, trend]) => trend.isFlat);
  const findings = [
    ...verdict.findings,
    ...(webhooks !== undefined && webhooks.undelivered > 0
      ? [`${webhooks.undelivered} of ${webhooks.events} webhooks were not delivered.`]
      : []),
    ...(isFlat === false ? ["The memory of a service grew."] : []),
  ];
  const otherPrograms = Math.max(...measurements.map(({ processors }) => processors.otherPrograms));
  const isBusy = otherPrograms > otherProgramsMax && !short;
  const capacities = overloads.map(({ capacity }) => capacity);
  return {
    lines: [
      ...firstFindings(findings),
      ...(isBusy ? ["Other programs used the processors: repeat the run on an idle machine to judge latencies."] : []),
    ],
    json: JSON.stringify({
      seed,
      short,
      stores,
      others,
      seconds,
      capacity_per_second: rounded(Math.max(...capacities), 1),
      goodput_ratio: rounded(verdict.goodputRatio, 2),
      other_store_p99_ratio: rounded(verdict.otherP99Ratio, 2),
      places_lost: verdict.placesLost,
      relay_leases_lost: verdict.relayLeasesLost,
      relay_failures: verdict.relayFailures,
      pages_without_place: verdict.unadmitted,
      rate_limited: verdict.rateLimited,
      unexpected_status: verdict.unexpected,
      others_failed: verdict.othersFailed,
      others_served: sum(overloads.map(({ measurement }) => servedIn(measurement.others))),
      changes: sum(measurements.map(({ changes }) => changes)),
      webhooks: webhooks?.events ?? null,
      webhooks_undelivered: webhooks?.undelivered ?? null,
      busy_after_ms: verdict.busyMs,
      overloads: overloads.length,
      memory_mb: Object.fromEntries(
        trends.map(([name, { before, after }]) => [name, { before: Math.round(before), after: Math.round(after) }]),
      ),
      flat: isFlat,
      other_programs: rounded(otherPrograms, 2),
      total_seconds: Math.round(performance.now() / 1_000),
    }),
    passed: findings.length === 0,
    complete: webhooks !== undefined,
  };
}

/** Describes a measurement in one line. */
export function measurementLine(measurement: Measurement): string {
  const { name, load, others, places, relayStarts, relayFailures, changes } = measurement;
  return [
    `${name}: ${rounded(goodputOf(measurement), 1)} pages/s`,
    `load ${endsOf(load)}, p50 ${load.p50Ms} ms, p99 ${load.p99Ms} ms`,
    `others ${endsOf(others)}, p50 ${others.p50Ms} ms, p99 ${others.p99Ms} ms`,
    `places lost ${placesLostIn(places)}`,
    `relay starts ${relayStarts}, failures ${relayFailures}`,
    `changes ${changes} (${measurement.changeCalls})`,
    `busy for ${measurement.busyMs} ms afterwards, generator lag ${load.lagMaxMs} ms`,
    `processors idle ${percent(measurement.processors.idle)}, other programs ${percent(measurement.processors.otherPrograms)}`,
  ].join("; ");
}

/** Describes an overload in one line: goodput and the other stores' p99, each relative to its baseline. */
export function overloadLine(overload: Overload): string {
  const { measurement, capacity } = overload;
  const ratio = goodputOf(measurement) / capacity;
  const text = `goodput ${ratio.toFixed(2)} of ${capacity.toFixed(1)} pages/s`;
  return `=> ${measurement.name}: ${text}, p99 of others ${otherP99RatioOf(overload).toFixed(2)} times that at 80 % of the capacity`;
}

function endsOf({ stores }: StreamResult): string {
  const names: readonly (keyof EndCounts)[] = [
    ...(["pages", "badRequests", "rateLimited", "unavailable", "otherStatus", "unanswered", "left", "unsent"] as const),
  ];
  const counts = names.map((name) => [name, sum(stores.map((store) => store[name]))] as const);
  return counts.flatMap(([name, count]) => (count > 0 ? [`${name} ${count}`] : [])).join(", ") || "none";
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

function servedIn({ stores }: StreamResult): number {
  return sum(stores.map(({ pages }) => pages));
}

function rounded(value: number, digits: number): number | null {
  return Number.isFinite(value) ? Number(value.toFixed(digits)) : null;
}
