import { expect, test } from "vitest";
import { median, quantile } from "./statistics.ts";

test.each([
  [[3], 3],
  [[3, 1], 2],
  [[9, 1, 5], 5],
  [[4, 1, 2, 3], 2.5],
  [[], Number.NaN],
])("the median of %j is %d", (values, middle) => {
  expect(median(values)).toBe(middle);
});

test.each([
  [0.5, 50],
  [0.99, 99],
  [0.991, 100],
  [1, 100],
  [0, 1],
])("the %d quantile of 1 to 100 is %i", (share, value) => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(quantile(values, share)).toBe(value);
});
