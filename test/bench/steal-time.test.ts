import { expect, test } from "vitest";
import { cpuUseOf, measureUndisturbed } from "./steal-time.ts";

const noUse = { stealShare: 0, busyShare: 0 };

test.each([
  [
    "returns the shares of all CPU time",
    "cpu  10 0 10 100 0 0 0 5 3 3",
    "cpu  20 0 20 150 20 0 0 15 9 9",
    { stealShare: 0.1, busyShare: 0.2 },
  ],
  ["returns 0 when no time has passed", "cpu  10 0 10 100 0 0 0 5 3 3", "cpu  10 0 10 100 0 0 0 5 3 3", noUse],
  ["returns 0 without /proc/stat", "", "", noUse],
])("%s", (_what, before, after, use) => {
  expect(cpuUseOf(`${before}\ncpu0 1 1 1 1 1 1 1 1 1 1\n`, `${after}\n`)).toEqual(use);
});

test.each([
  ["stops as soon as enough measurements are undisturbed", 1, 3],
  ["repeats disturbed measurements up to a limit", -1, 9],
])("%s", async (_what, stealShareMax, tries) => {
  let measured = 0;
  // No share is below zero, so in the second case no measurement counts as undisturbed.
  const kept = await measureUndisturbed(async () => ++measured, { count: 3, stealShareMax });
  expect([kept.length, measured]).toEqual([3, tries]);
  const shares = kept.map(({ stealShare }) => stealShare);
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
});
