import { expect, test } from "vitest";
import { fullForMs, rateLimitState, type WindowState, windowInGroup } from "./admission.ts";

const nowMs = Date.parse("2026-05-01T12:00:00.000Z");
const policy = { limit: 3, windowMs: 60_000 };

function windowOf(agesMs: readonly number[]): WindowState {
  const [oldestMs] = agesMs;
  const oldest = oldestMs === undefined ? undefined : new Date(nowMs - oldestMs);
  return { at: new Date(nowMs), count: agesMs.length, oldest };
}

test.each<[agesMs: readonly number[], remaining: number, resetSeconds: number]>([
  [[], 3, 0],
  [[0], 2, 60],
  [[1], 2, 60],
  [[999], 2, 60],
  [[1_000], 2, 59],
  [[1_001], 2, 59],
  [[58_999], 2, 2],
  [[59_000], 2, 1],
  [[59_999], 2, 1],
  [[30_000, 10_000], 1, 30],
  [[30_000, 10_000, 0], 0, 30],
  [[30_000, 10_000, 5, 0], 0, 30],
])("after admissions %j ms ago, %i requests remain and the reset is in %i s", (agesMs, remaining, resetSeconds) => {
  expect(rateLimitState(policy, windowOf(agesMs))).toEqual({
    limit: 3,
    windowSeconds: 60,
    remaining,
    resetSeconds,
  });
});

test("rounds a fractional window length up to whole seconds", () => {
  expect(rateLimitState({ limit: 1, windowMs: 1_500 }, windowOf([0]))).toMatchObject({
    windowSeconds: 2,
    resetSeconds: 2,
  });
});

test.each<[agesMs: readonly number[], fullForMs: number]>([
  [[], 0],
  [[30_000, 10_000], 0],
  [[59_999, 10_000, 0], 1],
  [[30_000, 10_000, 0], 30_000],
  [[0, 0, 0], 60_000],
  // More admissions than the limit, which was higher before: the window may stay full for longer.
  [[50_000, 40_000, 30_000, 10_000, 0], 10_000],
])("after admissions %j ms ago, the window is full for at least %i ms", (agesMs, expected) => {
  expect(fullForMs(policy, windowOf(agesMs))).toBe(expected);
});

const [yes, no] = [true, false];
test.each<[admitted: readonly boolean[], counts: readonly number[]]>([
  [
    [no, no, no],
    [7, 7, 7],
  ],
  [
    [yes, no, no],
    [7, 7, 7],
  ],
  [
    [yes, yes, no],
    [6, 7, 7],
  ],
  [
    [yes, yes, yes],
    [5, 6, 7],
  ],
  [
    [no, yes, no],
    [6, 7, 7],
  ],
])("in a group with the admission decisions %j, the requests see %j admissions", (admitted, counts) => {
  const window = { at: new Date(nowMs), count: 7, oldest: new Date(nowMs - 10) };
  const seen = counts.map((_count, position) => windowInGroup(window, admitted, position));
  expect(seen).toEqual(counts.map((count) => ({ ...window, count })));
});
