import { expect, test } from "vitest";
import { remainingMs } from "./call-limits.ts";

const clock = { now: () => 1_000 };
const { signal } = new AbortController();

test.each([
  [1_001, 1],
  [6_000.9, 5_000],
  [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
])("remainingMs returns the time until the deadline %d in whole milliseconds", (deadline, expected) => {
  expect(remainingMs({ deadline, signal }, clock)).toBe(expected);
});

test.each([
  ["the deadline has passed", { deadline: 999, signal }, "deadline"],
  ["less than a millisecond remains", { deadline: 1_000.9, signal }, "deadline"],
  ["the deadline has passed, which also aborts the signal", { deadline: 999, signal: AbortSignal.abort() }, "deadline"],
  ["the caller has left", { deadline: 9_000, signal: AbortSignal.abort() }, "caller_left"],
])("remainingMs throws if %s", (_situation, limits, reason) => {
  expect(() => remainingMs(limits, clock)).toThrow(expect.objectContaining({ code: "unavailable", reason }));
});
