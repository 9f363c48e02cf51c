import type { SeededRandom } from "../../harness/seeded-random.ts";

/** Arrivals of an open-loop load: at equal intervals, or as a Poisson process. */
export type ArrivalPattern = "steady" | "poisson";

const randomSteps = 2 ** 30;

/**
 * Generates the arrival times of an open-loop load in milliseconds, in order and without end. The times do not depend
 * on the responses, which avoids coordinated omission: a slow system cannot reduce its own load.
 *
 * @param perSecond mean arrival rate
 */
export function* arrivalTimes(pattern: ArrivalPattern, perSecond: number, random: SeededRandom): Generator<number> {
  const everyMs = 1_000 / perSecond;
  // The requests of several steady loads must not arrive at the same moments.
  let at = (everyMs * random.below(1_000)) / 1_000;
  for (;;) {
    yield at;
    const uniform = (random.below(randomSteps) + 1) / randomSteps;
    at += pattern === "steady" ? everyMs : -Math.log(uniform) * everyMs;
  }
}
