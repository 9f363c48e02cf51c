import { describe, expect, test } from "vitest";
import { ClockWait, timestampsUpTo } from "./store-clock.ts";

test.each([
  [0, []],
  [1, [1_000]],
  [3, [998, 999, 1_000]],
])("timestampsUpTo returns the last %i milliseconds up to the clock's time", (count, expected) => {
  expect(timestampsUpTo(new Date(1_000), count).map((timestamp) => timestamp.getTime())).toEqual(expected);
});

const batch = { wanted: 500, needed: 1 };
const room = (timestamps: number, previousMs = 0) => ({ timestamps, previousMs });

describe("ClockWait", () => {
  test.each([500, 501, Number.POSITIVE_INFINITY])(
    "does not wait for 500 timestamps when the clock has room for %d",
    (timestamps) => {
      expect(new ClockWait().next(room(timestamps), batch)).toBe(0);
    },
  );

  test("does not delay a transaction that needs no timestamps, even if the clock is ahead", () => {
    expect(new ClockWait().next(room(-86_400_000), { wanted: 0, needed: 0 })).toBe(0);
  });

  test("waits for all wanted timestamps while no other transaction advances the clock", () => {
    const wait = new ClockWait();
    expect(wait.next(room(-30), batch)).toBe(530);
    expect(wait.next(room(120), batch)).toBe(380);
    expect(wait.next(room(499), batch)).toBe(1);
    expect(wait.next(room(500), batch)).toBe(0);
  });

  test("uses the available timestamps once another transaction has advanced the clock", () => {
    const wait = new ClockWait();
    expect(wait.next(room(120, 1_000), batch)).toBe(380);
    expect(wait.next(room(7, 1_400), batch)).toBe(0);
  });

  test("waits only for the minimum number of timestamps once another transaction has advanced the clock", () => {
    const wait = new ClockWait();
    wait.next(room(120, 1_000), batch);
    expect(wait.next(room(0, 1_400), batch)).toBe(1);
    expect(wait.next(room(1, 1_400), batch)).toBe(0);
    const whole = { wanted: 500, needed: 500 };
    expect(wait.next(room(7, 1_900), whole)).toBe(493);
  });
});
