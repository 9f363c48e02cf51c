import { expect, test } from "vitest";
import { startStopwatch } from "./stopwatch.ts";

test.each([
  ["both clocks advance", 7_000, 7_000, 7_000],
  ["the machine was suspended", 60_000, 10, 60_000],
  ["the wall clock was set back", -3_600_000, 7_000, 7_000],
  ["the wall clock was set forward", 3_600_000, 7_000, 3_600_000],
])("returns the longer duration if %s", (_situation, wallMs, steadyMs, expected) => {
  const time = { wall: 1_000_000, steady: 500 };
  const elapsedMs = startStopwatch({ wall: { now: () => time.wall }, steady: { now: () => time.steady } });
  expect(elapsedMs()).toBe(0);
  time.wall += wallMs;
  time.steady += steadyMs;
  expect(elapsedMs()).toBe(expected);
});
