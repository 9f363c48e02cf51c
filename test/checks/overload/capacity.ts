import { type MeasureOptions, measure, type OverloadRig } from "./measure.ts";
import type { OverloadOptions } from "./options.ts";
import { goodputOf, type Measurement } from "./verdict.ts";

/** The capacity: the highest number of complete pages per second in a closed loop. */
interface Capacity {
  readonly perSecond: number;
  /** Number of clients in the closed loop that reached the capacity. */
  readonly clients: number;
}

const clientCounts = { long: [2, 4, 8, 16, 32, 64], short: [8] };
// A page whose admission is decided alone needs two commands: the admission and a read of certificates.
const commandsPerPageMin = 2;
// Requests per second of the other stores while a closed loop measures the capacity.
const othersPerSecond = 4;

/** Runs a closed loop: each client sends its next request when its previous request has ended. */
export function measureClosedLoop(rig: OverloadRig, clients: number, seconds: number): Promise<Measurement> {
  const options: MeasureOptions = {
    name: `closed loop of ${clients} clients`,
    seconds,
    from: "flooding",
    turnMs: null,
    othersPerSecond,
    load: { kind: "closed", clients },
  };
  return measure(rig, options);
}

/**
 * Returns the pages per second that the database's speed permits if each admission is decided alone; 0 if the speed is
 * not limited.
 */
export function pagesPerSecondMax({
  commandMs,
  commandsAtOnce,
}: Pick<OverloadOptions, "commandMs" | "commandsAtOnce">): number {
  return commandMs === 0 ? 0 : (1_000 * commandsAtOnce) / (commandMs * commandsPerPageMin);
}

/** Searches for the number of clients with the highest goodput. @param onMeasured receives each measurement */
export async function searchCapacity(
  rig: OverloadRig,
  onMeasured: (measurement: Measurement) => void,
): Promise<Capacity> {
  const { short, seconds } = rig.options;
  let best: Capacity = { perSecond: 0, clients: 1 };
  for (const clients of short ? clientCounts.short : clientCounts.long) {
    const measurement = await measureClosedLoop(rig, clients, short ? seconds : seconds / 4);
    onMeasured(measurement);
    const perSecond = goodputOf(measurement);
    if (perSecond > best.perSecond) best = { perSecond, clients };
  }
  return best;
}
