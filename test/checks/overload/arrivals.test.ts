import { expect, test } from "vitest";
import { seededRandom } from "../../harness/seeded-random.ts";
import { type ArrivalPattern, arrivalTimes } from "./arrivals.ts";

function take(pattern: ArrivalPattern, perSecond: number, count: number): number[] {
  return [...arrivalTimes(pattern, perSecond, seededRandom(7)).take(count)];
}

test.each<ArrivalPattern>(["steady", "poisson"])("%s arrivals have the requested rate and come in order", (pattern) => {
  const times = take(pattern, 200, 4_000);
  expect(times.toSorted((a, b) => a - b)).toEqual(times);
  expect((times.at(-1) ?? 0) / 4_000).toBeGreaterThan(4.75);
  expect((times.at(-1) ?? 0) / 4_000).toBeLessThan(5.25);
});

test("steady arrivals have equal intervals, but Poisson arrivals do not", () => {
  const gapsOf = (times: readonly number[]) =>
    new Set(times.slice(1).map((time, index) => (time - (times[index] ?? 0)).toFixed(3)));
  expect(gapsOf(take("steady", 100, 50))).toEqual(new Set(["10.000"]));
  expect(gapsOf(take("poisson", 100, 50)).size).toBeGreaterThan(45);
});

test("returns the same arrivals for the same seed", () => {
  expect(take("poisson", 50, 20)).toEqual(take("poisson", 50, 20));
});
