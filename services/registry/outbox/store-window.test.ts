import { expect, test } from "vitest";
import { entry } from "./relay-fixture.ts";
import { StoreWindow } from "./store-window.ts";

test("checks an event in flight at intervals that grow to at most four seconds", () => {
  const window = new StoreWindow({ inFlightMax: 2, bufferedMax: 8 });
  window.add(entry("a1"));
  window.next(0);
  const checkedAt: number[] = [];
  for (let now = 0; now <= 16_000; now += 500) if (window.takeChecks(now).includes("a1")) checkedAt.push(now);
  expect(checkedAt).toEqual([500, 1_000, 2_000, 4_000, 8_000, 12_000, 16_000]);
  window.settle("a1");
  expect(window.takeChecks(60_000)).toEqual([]);
});
