import { expect, test } from "vitest";
import { ratePerUnit, sampleProgress } from "./progress.ts";

const samples = [
  { units: 0, cost: 10 },
  { units: 100, cost: 110 },
  { units: 300, cost: 150 },
];

test("returns the cost per unit between two points, interpolated between samples", () => {
  expect(ratePerUnit(samples, 0, 100)).toBe(1);
  expect(ratePerUnit(samples, 100, 300)).toBe(0.2);
  expect(ratePerUnit(samples, 50, 200)).toBeCloseTo((130 - 60) / 150);
});

test("excludes the cost before the first unit", () => {
  const slowStart = [{ units: 0, cost: 0 }, { units: 0, cost: 50 }, ...samples.slice(1)];
  expect(ratePerUnit(slowStart, 0, 100)).toBe(0.6);
});

test("returns NaN outside the range of the samples", () => {
  expect(ratePerUnit(samples, 100, 301)).toBeNaN();
  expect(ratePerUnit([], 0, 1)).toBeNaN();
});

test("samples the final progress even when `stop` is called while a sample is being taken", async () => {
  let units = 0;
  const stopping = Promise.withResolvers<void>();
  const sampling = sampleProgress(
    () => units,
    async () => {
      await stopping.promise;
      return 2 * units;
    },
  );
  units = 100;
  sampling.stop();
  stopping.resolve();
  const samples = await sampling.samples;
  expect(samples.at(-1)).toEqual({ units: 100, cost: 200 });
});
