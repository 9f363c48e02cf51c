import { expect, test } from "vitest";
import { memoryTrend, residentMebibytes } from "./memory.ts";

test("memory is flat when the last quarter of a run needs about as much as the second one, however it began", () => {
  const run = (...quarters: number[]) =>
    memoryTrend(quarters.flatMap((value) => Array<number>(10).fill(value)));
  expect(run(50, 100, 120, 115)).toEqual({ before: 100, after: 115, isFlat: true });
  expect(run(50, 100, 120, 116)).toEqual({ before: 100, after: 116, isFlat: false });
  expect(run(300, 100, 100, 100).isFlat).toBe(true);
});

test("memory that nobody could read is not flat", () => {
  expect(memoryTrend([]).isFlat).toBe(false);
  expect(memoryTrend([Number.NaN, Number.NaN, Number.NaN, Number.NaN]).isFlat).toBe(false);
});

test("a process that is not there has no memory", async () => {
  expect(await residentMebibytes(2 ** 30)).toBeNaN();
  expect(await residentMebibytes(null)).toBeNaN();
});

test.runIf(process.platform === "linux")("this process needs about what it says itself", async () => {
  const told = process.memoryUsage.rss() / 1_024 ** 2;
  expect((await residentMebibytes(process.pid)) / told).toBeCloseTo(1, 1);
});
