import { expect, test } from "vitest";
import { memoryTrend, residentMebibytes } from "./memory.ts";

test("compares the last quarter of a run with the second one and ignores the first", () => {
  const run = (...quarters: number[]) => memoryTrend(quarters.flatMap((value) => Array<number>(10).fill(value)));
  expect(run(50, 100, 120, 115)).toEqual({ before: 100, after: 115, isFlat: true });
  expect(run(50, 100, 120, 116)).toEqual({ before: 100, after: 116, isFlat: false });
  expect(run(300, 100, 100, 100).isFlat).toBe(true);
});

test("unknown memory is not flat", () => {
  expect(memoryTrend([]).isFlat).toBe(false);
  expect(memoryTrend([Number.NaN, Number.NaN, Number.NaN, Number.NaN]).isFlat).toBe(false);
});

test("the memory of a missing process is NaN", async () => {
  expect(await residentMebibytes(2 ** 30)).toBeNaN();
  expect(await residentMebibytes(null)).toBeNaN();
});

test.runIf(process.platform === "linux")("the memory of this process is about its own RSS", async () => {
  const own = process.memoryUsage.rss() / 1_024 ** 2;
  expect((await residentMebibytes(process.pid)) / own).toBeCloseTo(1, 1);
});
