import { expect, test } from "vitest";
import { startOfDay } from "./start-of-day.ts";

test.each(["2028-02-29", "2026-12-31", "0001-01-01"])("returns the start of %s in UTC", (day) => {
  expect(startOfDay(day)).toEqual(new Date(`${day}T00:00:00.000Z`));
});

test.each(["", "2026-02-29", "2026-02-30", "2026-13-01", "2026-1-1", "2026-01-01T00:00", "+012026-01-01", "soon"])(
  "returns undefined for %j",
  (text) => expect(startOfDay(text)).toBeUndefined(),
);
