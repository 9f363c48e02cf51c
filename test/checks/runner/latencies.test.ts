import { expect, test } from "vitest";
import { latenciesOf } from "./latencies.ts";

test("computes percentiles of unsorted durations by nearest rank", () => {
  const durations = Array.from({ length: 200 }, (_, index) => 200 - index);
  expect(latenciesOf(durations, 3)).toEqual({ requests: 203, failed: 3, p50Ms: 100, p99Ms: 198 });
  expect(latenciesOf([7.26], 0)).toEqual({ requests: 1, failed: 0, p50Ms: 7.3, p99Ms: 7.3 });
  expect(latenciesOf([], 2).p99Ms).toBeNaN();
});
