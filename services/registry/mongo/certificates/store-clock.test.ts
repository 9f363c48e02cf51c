import { expect, test } from "vitest";
import { timestampsUpTo } from "./store-clock.ts";

test.each([
  [0, []],
  [1, [1_000]],
  [3, [998, 999, 1_000]],
])("timestampsUpTo returns the last %i milliseconds up to the clock's time", (count, expected) => {
  expect(timestampsUpTo(new Date(1_000), count).map((timestamp) => timestamp.getTime())).toEqual(expected);
});
