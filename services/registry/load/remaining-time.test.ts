import { expect, test } from "vitest";
import type { Clock } from "#shared/time/clock.ts";
import { remainingTimeMs } from "./remaining-time.ts";

const clock: Clock = { now: () => 1_000, sleep: async () => undefined };
const { signal } = new AbortController();

test.each([
  [1_001, 1],
  [6_000.9, 5_000],
  [Number.POSITIVE_INFINITY, undefined],
])("returns the whole milliseconds until the deadline %d", (deadline, expected) => {
  expect(remainingTimeMs({ deadline, signal }, clock)).toBe(expected);
});

test.each([
  ["the deadline has passed", { deadline: 999, signal }, "deadline"],
  ["less than a millisecond remains", { deadline: 1_000.9, signal }, "deadline"],
  ["the caller has left", { deadline: 9_000, signal: AbortSignal.abort() }, "caller_left"],
])("refuses the work if %s", (_situation, limits, reason) => {
  expect(() => remainingTimeMs(limits, clock)).toThrow(expect.objectContaining({ code: "unavailable", reason }));
});
