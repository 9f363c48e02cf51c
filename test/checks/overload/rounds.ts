import { measureClosedLoop, pagesPerSecondMax, searchCapacity } from "./capacity.ts";
import { measure, type OverloadRig } from "./measure.ts";
import { measurementLine, overloadLine } from "./report.ts";
import { goodputOf, type Measurement, type Overload } from "./verdict.ts";

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
