import { sum } from "../../harness/statistics.ts";
import type { EndCounts, StreamResult } from "./load-plan.ts";
import type { ProcessorUse } from "./processor-use.ts";

/** The requests of one store in one measurement, and the places that they use in its rate-limit window. */
export interface StorePlaces {
  readonly counts: EndCounts;
  /** Number of admissions in the store's window log. */
  readonly admitted: number;
}

/** Observations from the start of one load until the services were idle again. */
export interface Measurement {
  readonly name: string;
  /** Requests of the stores that cause the load. */
  readonly load: StreamResult;
  /** Requests of the other stores. */
  readonly others: StreamResult;
  /** One element per store of both streams. */
  readonly places: readonly StorePlaces[];
  /** How often a relay became ready to publish; 0 unless a relay failed or lost its lease. */
  readonly relayStarts: number;
  /** Whether the machine or its database stood still for a good part of a lease: a relay then loses it rightly. */
  readonly stoodStill: boolean;
  /** How often a step of the relay failed. */
  readonly relayFailures: number;
  /** Changes that the registry confirmed. */
  readonly changes: number;
  /** Results of the writers' calls, as text. */
  readonly changeCalls: string;
  readonly processors: ProcessorUse;
  /**
   * How long the database and the registries remained busy after the last response or, if the clients disconnect early,
   * after the planned end of the load; null when unknown.
   */
  readonly busyMs: number | null;
}

/** An overload with the measurements that it is compared with. */
export interface Overload {
  readonly measurement: Measurement;
  /** Complete pages per second in a closed loop: the mean of measurements directly before and after the overload. */
  readonly capacity: number;
  /** The measurement at 80 % of the capacity: the baseline for the other stores' latency. */
  readonly steady: Measurement;
}

/** The result of the check. */
interface Verdict {
  /** Lowest ratio of the goodput under overload to the capacity; Infinity without overloads. */
  readonly goodputRatio: number;
  /** Highest {@link otherP99RatioOf} of all overloads; -Infinity without overloads, NaN if a ratio is unknown. */
  readonly otherP99Ratio: number;
  readonly placesLost: number;
  /** Responses that count against the limit but used no place. */
  readonly unadmitted: number;
  readonly relayLeasesLost: number;
  /** Measurements during which neither the machine nor its database stood still. */
  readonly judged: number;
  /** Failed steps of the relay. Not a finding: a failure that ends the leadership counts in `relayLeasesLost`. */
  readonly relayFailures: number;
  readonly rateLimited: number;
  /** Requests of other stores that got no page under overload. */
  readonly othersFailed: number;
  /** Responses with a status that overload does not explain, such as 500. */
  readonly unexpected: number;
  /** Longest known {@link Measurement.busyMs}; null if it is unknown for all measurements. */
  readonly busyMs: number | null;
  /** The faults found, as sentences. */
  readonly findings: readonly string[];
}

const goodputMin = 0.9;
const otherP99RatioMax = 2;
const busyMaxMs = 3_000;
const steadyFailedShareMax = 0.005;

/** Returns the complete pages per second of all stores. */
export function goodputOf({ load, others }: Measurement): number {
  return load.pagesPerSecond + others.pagesPerSecond;
}

/**
 * Returns the number of places used by requests that received neither a page nor a 400. Subtracts one place for each
 * client that disconnected, because its request uses a place if it was admitted (INTERFACE.md §8).
 */
export function placesLostIn(places: readonly StorePlaces[]): number {
  return sum(places.map(({ counts, admitted }) => Math.max(0, admitted - countedIn(counts) - counts.left)));
}

/** Returns the other stores' p99 under overload, divided by their p99 at 80 % of the capacity; NaN if unknown. */
export function otherP99RatioOf({ measurement, steady }: Overload): number {
  return (measurement.others.p99Ms ?? Number.NaN) / (steady.others.p99Ms ?? Number.NaN);
}

/**
 * Evaluates a run.
 *
 * @param measurements all measurements, including those of capacity and overload
 * @param countsOnly ignores rates and latencies, which mean nothing on a busy machine
 */
export function evaluate(
  measurements: readonly Measurement[],
  overloads: readonly Overload[],
  countsOnly: boolean,
): Verdict {
  const findings: string[] = [];
  for (const measurement of measurements) {
    findings.push(...countFindings(measurement));
    if (!countsOnly) findings.push(...busyFindings(measurement));
  }
  for (const overload of overloads) {
    if (overload.measurement.others.failed === overload.measurement.others.requests)
      findings.push(`${overload.measurement.name}: no other store got a page.`);
    if (refusedIn(overload.measurement.load) === 0)
      findings.push(`${overload.measurement.name}: no request was refused or unanswered, so there was no overload.`);
    if (!countsOnly) findings.push(...rateFindings(overload));
  }
  if (overloads.length === 0) findings.push("The run contained no overload.");
  const judged = measurements.filter(({ stoodStill }) => !stoodStill).length;
  if (judged === 0) findings.push("The machine stood still in every measurement, so no relay's lease was judged.");
  const countOf = (count: (measurement: Measurement) => number) => sum(measurements.map(count));
  const busyMs = measurements.flatMap((measurement) => measurement.busyMs ?? []);
  return {
    goodputRatio: Math.min(...overloads.map(({ measurement, capacity }) => goodputOf(measurement) / capacity)),
    otherP99Ratio: Math.max(...overloads.map(otherP99RatioOf)),
    placesLost: countOf(({ places }) => placesLostIn(places)),
    unadmitted: countOf(({ places }) => unadmittedIn(places)),
    relayLeasesLost: countOf(leasesLostIn),
    judged,
    relayFailures: countOf(({ relayFailures }) => relayFailures),
    rateLimited: countOf(rateLimitedIn),
    othersFailed: sum(overloads.map(({ measurement }) => measurement.others.failed)),
    unexpected: countOf(unexpectedIn),
    busyMs: busyMs.length === 0 ? null : Math.max(...busyMs),
    findings,
  };
}

function countFindings(measurement: Measurement): string[] {
  const { name, places, changes, stoodStill } = measurement;
  const leasesLost = leasesLostIn(measurement);
  const [lost, unadmitted] = [placesLostIn(places), unadmittedIn(places)];
  const [rateLimited, unexpected] = [rateLimitedIn(measurement), unexpectedIn(measurement)];
  return [
    ...(lost > 0 ? [`${name}: ${lost} places were used by requests that got neither a page nor a 400.`] : []),
    ...(unadmitted > 0 ? [`${name}: ${unadmitted} pages or 400s used no place.`] : []),
    ...(rateLimited > 0 ? [`${name}: the rate limit refused ${rateLimited} requests; use a lower --seconds.`] : []),
    ...(unexpected > 0 ? [`${name}: ${unexpected} responses had a status other than 200, 400, 429 and 503.`] : []),
    ...(leasesLost > 0 ? [`${name}: the relay stopped leading ${leasesLost} times.`] : []),
    ...(changes === 0 && !stoodStill ? [`${name}: no change was confirmed.`] : []),
  ];
}

function rateFindings(overload: Overload): string[] {
  const { measurement, capacity } = overload;
  const { name } = measurement;
  const goodput = goodputOf(measurement) / capacity;
  const p99 = otherP99RatioOf(overload);
  const { requests, failed } = overload.steady.others;
  return [
    ...(failed <= steadyFailedShareMax * requests
      ? []
      : [
          `${name}: ${failed} of the other stores' ${requests} requests failed at 80 % of the capacity, so p99 is not comparable.`,
        ]),
    ...(goodput >= goodputMin ? [] : [`${name}: goodput is ${goodput.toFixed(2)} of the capacity.`]),
    ...(p99 < otherP99RatioMax
      ? []
      : [`${name}: the other stores' p99 is ${p99.toFixed(1)} times that at 80 % of the capacity.`]),
  ];
}

function busyFindings({ name, busyMs }: Measurement): string[] {
  if (busyMs === null || busyMs <= busyMaxMs) return [];
  return [`${name}: the database and the registries remained busy for ${busyMs} ms after the load.`];
}

function leasesLostIn({ relayStarts, stoodStill }: Measurement): number {
  return stoodStill ? 0 : relayStarts;
}

function unadmittedIn(places: readonly StorePlaces[]): number {
  return sum(places.map(({ counts, admitted }) => Math.max(0, countedIn(counts) - admitted)));
}

function refusedIn({ stores }: StreamResult): number {
  return sum(stores.map(({ unavailable, unanswered, unsent }) => unavailable + unanswered + unsent));
}

function rateLimitedIn({ places }: Measurement): number {
  return sum(places.map(({ counts }) => counts.rateLimited));
}

function unexpectedIn({ load, others }: Measurement): number {
  return sum([...load.stores, ...others.stores].map(({ otherStatus }) => otherStatus));
}

// A page and a 400 count against the limit (INTERFACE.md §7).
function countedIn({ pages, badRequests }: EndCounts): number {
  return pages + badRequests;
}
