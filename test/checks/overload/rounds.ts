import { sum } from "../../harness/statistics.ts";
import { measureClosedLoop, pagesPerSecondMax, searchCapacity } from "./capacity.ts";
import type { EndCounts, StreamResult } from "./load-plan.ts";
import { measure, type OverloadRig } from "./measure.ts";
import { goodputOf, type Measurement, type Overload, otherP99RatioOf, placesLostIn } from "./verdict.ts";

const steadyShare = 0.8;
// Small enough that all requests of the other stores are served if the capacity is divided fairly among the stores.
const othersShare = 0.1;
const othersPerSecondMin = 0.5;
// Short turns keep the stores' window logs as short as when all stores send requests at the same time.
const turnMs = 1_000;

/** The measurements of a run so far. */
export interface Measured {
  readonly measurements: Measurement[];
  readonly overloads: Overload[];
}

/**
 * Runs one or more rounds of measurements (capacity, steady load, overloads), until `rig.options.minutes` have passed.
 *
 * @param measured receives each result immediately, so that the results survive an abort
 * @throws Error when the rig's signal aborts
 */
export async function runRounds(rig: OverloadRig, { measurements, overloads }: Measured): Promise<void> {
  const { options, signal, log } = rig;
  const onMeasured = (measurement: Measurement) => {
    measurements.push(measurement);
    log(measurementLine(measurement));
  };
  const endAt = performance.now() + 60_000 * options.minutes;
  do {
    for await (const overload of round(rig, onMeasured)) {
      overloads.push(overload);
      log(overloadLine(overload));
    }
    signal.throwIfAborted();
  } while (performance.now() < endAt);
}

async function* round(rig: OverloadRig, onMeasured: (measurement: Measurement) => void): AsyncGenerator<Overload> {
  const { seconds, short } = rig.options;
  const { clients } = await searchCapacity(rig, onMeasured);
  const capacityNow = async () => {
    const measurement = await measureClosedLoop(rig, clients, short ? seconds : seconds / 2);
    onMeasured(measurement);
    return measurement;
  };
  // Measured again, because the best of several measurements overstates the capacity.
  let before = await capacityNow();
  // A short run measures the capacity too briefly, so its loads are based on pagesPerSecondMax() if that is higher.
  const capacity = short ? Math.max(goodputOf(before), pagesPerSecondMax(rig.options)) : goodputOf(before);
  const othersPerSecond = Math.max(othersPerSecondMin, othersShare * capacity);
  const offer = async (name: string, perSecond: number, from: "flooding" | "leaving", turn: number | null = null) => {
    const load = {
      kind: "open",
      pattern: "poisson",
      perSecond: Math.max(othersPerSecondMin, perSecond - othersPerSecond),
    } as const;
    const measurement = await measure(rig, { name, seconds, load, from, turnMs: turn, othersPerSecond });
    onMeasured(measurement);
    return measurement;
  };
  const steady = await offer("80 % of the capacity", steadyShare * capacity, "flooding");
  const plans = (short ? [10] : [5, 10]).flatMap((times) => [
    { times, from: "one store", turn: turnMs },
    ...(short ? [] : [{ times, from: "all stores", turn: null }]),
  ]);
  for (const { times, from, turn } of plans) {
    const name = `${times} times the capacity from ${from}`;
    const measurement = await offer(name, times * capacity, "flooding", turn);
    const after = await capacityNow();
    yield { measurement, steady, capacity: (goodputOf(before) + goodputOf(after)) / 2 };
    before = after;
  }
  if (!short) await offer("10 times the capacity from clients that disconnect", 10 * capacity, "leaving");
}

/** Describes a measurement in one line. */
function measurementLine(measurement: Measurement): string {
  const { name, load, others, places, relayStarts, relayFailures, stoodStill, changes } = measurement;
  return [
    `${name}: ${rounded(goodputOf(measurement), 1)} pages/s`,
    `load ${endsOf(load)}, p50 ${load.p50Ms} ms, p99 ${load.p99Ms} ms`,
    `others ${endsOf(others)}, p50 ${others.p50Ms} ms, p99 ${others.p99Ms} ms`,
    `places lost ${placesLostIn(places)}`,
    `relay starts ${relayStarts}, failures ${relayFailures}`,
    ...(stoodStill ? ["the machine or its database stood still"] : []),
    `changes ${changes} (${measurement.changeCalls})`,
    `busy for ${measurement.busyMs} ms afterwards, generator lag ${load.lagMaxMs} ms`,
    `processors idle ${percent(measurement.processors.idle)}, other programs ${percent(measurement.processors.otherPrograms)}`,
  ].join("; ");
}

/** Describes an overload in one line: goodput and the other stores' p99, each relative to its baseline. */
function overloadLine(overload: Overload): string {
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

/** Rounds a number; null stands for one that is not finite. */
export function rounded(value: number, digits: number): number | null {
  return Number.isFinite(value) ? Number(value.toFixed(digits)) : null;
}
