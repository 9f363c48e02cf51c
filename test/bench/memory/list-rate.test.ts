import { expect, test } from "vitest";
import { listsPerSecond } from "./list-rate.ts";

const rateLimit = 1_000;

test.each([1, 2, 3, 4, 5, 40])(
  "%i stores get fewer pages in 60 s than the rate limit permits each of them",
  (stores) => {
    const perStore = (listsPerSecond(stores, rateLimit, 60) * 60) / stores;
    expect(perStore).toBeLessThan(rateLimit);
    expect(perStore).toBeGreaterThan(0);
  },
);

test.each([
  [1, 15],
  [3, 45],
  [4, 60],
  [40, 60],
])("the rate for %i stores is %i pages per second", (stores, perSecond) => {
  expect(listsPerSecond(stores, rateLimit, 60)).toBe(perSecond);
});
