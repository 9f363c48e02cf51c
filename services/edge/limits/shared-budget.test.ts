import { expect, test } from "vitest";
import { SharedBudget } from "./shared-budget.ts";

test("a room takes what all of its shares permit, and gives back all that it has taken", () => {
  const budget = new SharedBudget();
  const roomOf = (store: string) =>
    budget.roomIn([
      { key: "all", max: 5 },
      { key: store, max: 3 },
    ]);
  const other = roomOf("other");
  {
    using one = roomOf("one");
    expect([one.take(2), one.take(2), one.take(1)]).toEqual([true, false, true]);
    expect(roomOf("one").take(1)).toBe(false);
    expect([other.take(3), other.take(2)]).toEqual([false, true]);
    // All is taken.
    expect(roomOf("third").take(1)).toBe(false);
  }
  expect([roomOf("one").take(3), other.take(1)]).toEqual([true, false]);
  other[Symbol.dispose]();
  expect(other.take(2)).toBe(true);
});
