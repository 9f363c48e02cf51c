import { expect, test } from "vitest";
import { eventually } from "./eventually.ts";
import { memoryTrend, residentMebibytes } from "./process-memory.ts";

test("compares the last quarter of a run with the second and ignores the first and third", () => {
  const run = (...quarters: number[]) => memoryTrend(quarters.flatMap((value) => Array<number>(10).fill(value)));
  expect(run(50, 100, 120, 115)).toEqual({ before: 100, after: 115, isFlat: true });
  expect(run(50, 100, 120, 116)).toEqual({ before: 100, after: 116, isFlat: false });
  expect(run(300, 100, 100, 100).isFlat).toBe(true);
});

test("does not report unknown memory usage as flat", () => {
  expect(memoryTrend([]).isFlat).toBe(false);
  expect(memoryTrend([Number.NaN, Number.NaN, Number.NaN, Number.NaN]).isFlat).toBe(false);
});

test("returns NaN for a missing process", async () => {
  expect(await residentMebibytes(2 ** 30)).toBeNaN();
  expect(await residentMebibytes(null)).toBeNaN();
});

test.runIf(process.platform === "linux")(
  "agrees with process.memoryUsage.rss() within 5 %",
  {
    timeout: 120_000,
  },
  async () => {
    const own = () => process.memoryUsage.rss() / 1_024 ** 2;
    // A collection of the heap can come between two readings, but not between any two.
    await eventually(async () => expect((await residentMebibytes(process.pid)) / own()).toBeCloseTo(1, 1));
  },
);
