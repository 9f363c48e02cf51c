import { expect, test } from "vitest";
import { checkClock } from "./check-clock.ts";

const call = { from: 100_000, to: 101_000 };

test.each([
  [100_500, "ok", "no difference"],
  [101_040, "ok", "40 ms"],
  [95_000, "ok", "5000 ms"],
  [94_999, "fault", "the registry's clock is 5.1 s behind"],
  [161_000, "fault", "the registry's clock is 60 s ahead"],
])("judges the registry's time %i, read during a call from 100000 to 101000: %s", (time, state, seen) => {
  expect(checkClock(call, time)).toMatchObject({ state, seen });
});
