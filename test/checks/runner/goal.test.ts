import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createGoal } from "./goal.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

let made = 0;
const changes = { count: 200, unit: "changes", made: () => made };

test("a goal without a duration is reached when the count is complete", () => {
  const goal = createGoal({ ...changes, minutes: undefined });
  made = 50;
  expect([goal.share(), goal.text()]).toEqual([0.25, "50 of 200 changes"]);
  made = 250;
  expect(goal.share()).toBe(1);
});

test("a goal with a duration is reached only when the time has passed, even if the count is complete earlier", () => {
  made = 1_000;
  const goal = createGoal({ ...changes, minutes: 30 });
  vi.advanceTimersByTime(90_000);
  expect([goal.share(), goal.text()]).toEqual([0.05, "1000 changes in 1.5 of 30 minutes"]);
  vi.advanceTimersByTime(30 * 60_000);
  expect(goal.share()).toBe(1);
});
