import { expect, test } from "vitest";
import { fullForMs, rateLimitState } from "./admission.ts";

const nowMs = Date.parse("2026-05-01T12:00:00.000Z");
const now = new Date(nowMs);
const policy = { limit: 3, windowMs: 60_000 };

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
  const admitted = agesMs.map((ageMs) => new Date(nowMs - ageMs));
  expect(rateLimitState(policy, admitted, now)).toEqual({
    limit: 3,
    windowSeconds: 60,
    remaining,
    resetSeconds,
  });
});

test("rounds a fractional window length up to whole seconds", () => {
  expect(rateLimitState({ limit: 1, windowMs: 1_500 }, [now], now)).toMatchObject({
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
  // Admitted under a higher limit: the next request waits until fewer than three admissions are in the window.
  [[50_000, 40_000, 30_000, 10_000, 0], 30_000],
])("after admissions %j ms ago, the window is full for %i ms", (agesMs, expected) => {
  const admitted = agesMs.map((ageMs) => new Date(nowMs - ageMs));
  expect(fullForMs(policy, admitted, now)).toBe(expected);
});
