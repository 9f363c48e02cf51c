import { expect, test } from "vitest";
import { ResetBudget } from "./reset-budget.ts";

const countTaken = (budget: ResetBudget, attempts: number) =>
  Array.from({ length: attempts }, () => budget.take()).filter(Boolean).length;

test("ResetBudget allows a burst of 500 resets and then 25 a second", () => {
  let nowMs = 1_000;
  const budget = new ResetBudget(() => nowMs);
  expect(countTaken(budget, 2_000)).toBe(500);
  nowMs += 1_000;
  expect(countTaken(budget, 2_000)).toBe(25);
  nowMs += 3_600_000;
  expect(countTaken(budget, 2_000)).toBe(500);
});
