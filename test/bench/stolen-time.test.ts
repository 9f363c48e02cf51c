import { expect, test } from "vitest";
import { measureUndisturbed, stolenShareOf } from "./stolen-time.ts";

test.each([
  ["the stolen part of all time", "cpu  10 0 10 100 0 0 0 5 3 3", "cpu  20 0 20 170 0 0 0 15 9 9", 0.1],
  ["nothing when no time went by", "cpu  10 0 10 100 0 0 0 5 3 3", "cpu  10 0 10 100 0 0 0 5 3 3", 0],
  ["nothing where the system does not tell", "", "", 0],
])("%s", (_what, before, after, share) => {
  expect(stolenShareOf(`${before}\ncpu0 1 1 1 1 1 1 1 1 1 1\n`, `${after}\n`)).toBe(share);
});

test.each([
  ["stops as soon as enough was undisturbed", 1, 3],
  ["goes on where it was disturbed, but not for ever, and takes what was disturbed least", -1, 9],
])("%s", async (_what, stolenShareMax, tries) => {
  let measured = 0;
  // No share is below zero: the second case never has enough.
  const kept = await measureUndisturbed(async () => ++measured, { count: 3, stolenShareMax });
  expect([kept.length, measured]).toEqual([3, tries]);
  const shares = kept.map(({ stolenShare }) => stolenShare);
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
});
