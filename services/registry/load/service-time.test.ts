import { expect, test } from "vitest";
import { ServiceTime } from "./service-time.ts";

function afterObserving(...durations: number[]): number {
  const serviceTime = new ServiceTime();
  for (const durationMs of durations) serviceTime.observe(durationMs);
  return serviceTime.expectedMs;
}

test("expects 0 ms before the first observation, and the observed duration after it", () => {
  expect([afterObserving(), afterObserving(40), afterObserving(40, 40)]).toEqual([0, 40, 40]);
});

test("raises the estimate by only a tenth of the difference after a slow call", () => {
  expect(afterObserving(10, 10, 110)).toBe(20);
});

test("recovers from a stall within a few fast calls", () => {
  expect(afterObserving(...Array(50).fill(5_000), ...Array(8).fill(10))).toBeLessThan(50);
});
