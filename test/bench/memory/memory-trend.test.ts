import { expect, test } from "vitest";
import { memoryTrend, regression } from "./memory-trend.ts";

const line = (count: number, valueAt: (minutes: number) => number) =>
  Array.from({ length: count }, (_, minutes) => ({ minutes, value: valueAt(minutes) }));
// Deterministic noise of ±1.
const noise = (minutes: number) => ((minutes * 7_919) % 3) - 1;

test("returns the slope of the least-squares line and its standard error", () => {
  expect(regression(line(10, (minutes) => 100 + 3 * minutes))).toEqual({ slope: 3, standardError: 0 });
  const [a, b, c] = [0, 1, 2].map((minutes) => ({ minutes, value: [1, 3, 2][minutes] ?? 0 }));
  if (a === undefined || b === undefined || c === undefined) throw new Error("three samples");
  const { slope, standardError } = regression([a, b, c]);
  expect(slope).toBeCloseTo(0.5);
  expect(standardError).toBeCloseTo(Math.sqrt(1.5 / 2));
});

test("ignores the first half of a run", () => {
  const warmUp = memoryTrend(line(40, (minutes) => (minutes < 20 ? 50 + 5 * minutes : 150)));
  expect(warmUp).toMatchObject({ slope: 0, mean: 150, isFlat: true });
});

test("reports growth that is larger than the noise", () => {
  expect(memoryTrend(line(30, (minutes) => 100 + 0.5 * minutes + noise(minutes))).isFlat).toBe(false);
  expect(memoryTrend(line(30, (minutes) => 100 + noise(minutes))).isFlat).toBe(true);
  expect(memoryTrend(line(30, (minutes) => 100 - 2 * minutes)).isFlat).toBe(true);
});

test("does not report a trend without samples as flat", () => {
  expect(memoryTrend([]).isFlat).toBe(false);
  expect(memoryTrend(line(30, () => Number.NaN)).isFlat).toBe(false);
});
