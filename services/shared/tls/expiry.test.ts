import { expect, test } from "vitest";
import { describeExpiry } from "./expiry.ts";

const hour = 3_600_000;
const day = 24 * hour;
const from = Date.parse("2026-01-01T00:00:00Z");
const period = { validFrom: from, validTo: from + 100 * day };

test.each([
  [-1, true, "not valid before 2026-01-01T00:00:00.000Z"],
  [0, false, "expires in 100 days, at 2026-04-11T00:00:00.000Z"],
  [89 * day, false, "expires in 11 days, at 2026-04-11T00:00:00.000Z"],
  [91 * day, true, "expires in 9 days, at 2026-04-11T00:00:00.000Z"],
  [99 * day, true, "expires in 24 hours, at 2026-04-11T00:00:00.000Z"],
  [99 * day + 22.5 * hour, true, "expires in 1 hour, at 2026-04-11T00:00:00.000Z"],
  [99 * day + 23.5 * hour, true, "expires in less than an hour, at 2026-04-11T00:00:00.000Z"],
  [100 * day, true, "expired at 2026-04-11T00:00:00.000Z"],
])("%i ms after the start of a validity of 100 days, isDue is %s, and the text is: %s", (ms, isDue, text) => {
  expect(describeExpiry(period, from + ms)).toEqual({ isDue, text });
});
