import fc from "fast-check";
import { expect, test } from "vitest";
import { windowModel } from "../../../services/registry/admissions/window-model-fixture.ts";
import { evaluate } from "./verdict.ts";

const policy = { limit: 2, windowMs: 1_000 };

const admitted = (sentAt: number, receivedAt: number) => ({ isAdmitted: true, sentAt, receivedAt });
const refused = (sentAt: number, receivedAt: number) => ({ isAdmitted: false, sentAt, receivedAt });
const pair = [admitted(0, 9), admitted(100, 109)];

test("permits an admission one window after the oldest admission in a full window, but not a millisecond earlier", () => {
  const third = (at: number) =>
    evaluate({ exchanges: [...pair, admitted(at, at + 5)], admittedAt: [1, 101, at] }, policy);
  expect(third(1_001)).toEqual({ admitted: 3, refused: 0, over: 0, under: 0, unmatched: 0, fullest: 2 });
  expect(third(1_000)).toMatchObject({ over: 1, fullest: 3 });
});

test.each<[string, sentAt: number, receivedAt: number, under: number]>([
  ["accepts a refusal while the window was full", 300, 309, 0],
  ["counts a refusal before the window was full as wrong", 50, 100, 1],
  ["accepts a refusal when the window became full during the request", 50, 101, 0],
  ["accepts a refusal when the window regained room during the request", 1_000, 1_050, 0],
  ["counts a refusal after the window had regained room as wrong", 1_001, 1_050, 1],
])("%s", (_name, sentAt, receivedAt, under) => {
  const exchanges = [...pair, refused(sentAt, receivedAt)];
  expect(evaluate({ exchanges, admittedAt: [1, 101] }, policy)).toMatchObject({ refused: 1, under });
});

test("does not judge a period in which admissions may be missing", () => {
  const wrong = { exchanges: [...pair, refused(1_001, 1_050)], admittedAt: [1, 101] };
  expect(evaluate({ ...wrong, knownUntil: 1_050 }, policy)).toMatchObject({ refused: 1, under: 1 });
  expect(evaluate({ ...wrong, knownUntil: 1_049 }, policy)).toMatchObject({ refused: 0, under: 0, unmatched: 0 });
  expect(evaluate({ exchanges: pair, admittedAt: [1, 2, 101], knownUntil: 105 }, policy)).toMatchObject({ over: 1 });
});

test("matches each admitted request with an admission during the request", () => {
  const unmatched = (admittedAt: number[]) => evaluate({ exchanges: pair, admittedAt }, policy).unmatched;
  expect(unmatched([0, 109])).toBe(0);
  expect(unmatched([5])).toBe(1);
  expect(unmatched([5, 6])).toBe(2);
  expect(unmatched([5, 99])).toBe(2);
  expect(unmatched([5, 105, 300])).toBe(1);
  // An admission must be matched with the overlapping request that ends first.
  const overlapping = [admitted(0, 100), admitted(10, 20)];
  expect(evaluate({ exchanges: overlapping, admittedAt: [15, 50] }, policy).unmatched).toBe(0);
});

const steps = fc.array(fc.tuple(fc.nat(400), fc.nat(30), fc.nat(30)), { minLength: 60, maxLength: 60 });

/** Simulates requests. The window model decides on each request between its `sentAt` and its `receivedAt`. */
function run(limit: number, gaps: readonly (readonly [number, number, number])[]) {
  const admit = windowModel({ ...policy, limit });
  let at = 0;
  const decided = gaps.map(([gap, since, until]) => {
    at += gap;
    const { isAdmitted } = admit(at);
    return { at, exchange: { isAdmitted, sentAt: at - since, receivedAt: at + until } };
  });
  return {
    exchanges: decided.map(({ exchange }) => exchange),
    admittedAt: decided.filter(({ exchange }) => exchange.isAdmitted).map((one) => one.at),
  };
}

test("accepts the decisions of the window model, and detects a limit that is one too high or too low", () => {
  fc.assert(
    fc.property(steps, (gaps) => {
      const limit = 4;
      expect(evaluate(run(limit, gaps), { ...policy, limit })).toMatchObject({
        over: 0,
        under: 0,
        unmatched: 0,
      });
      const more = run(limit + 1, gaps);
      const isOverNeeded = evaluate(more, policy).fullest > limit;
      expect(evaluate(more, { ...policy, limit }).over > 0).toBe(isOverNeeded);
    }),
  );
  const steady = Array.from({ length: 100 }, () => [50, 5, 5] as const);
  expect(evaluate(run(3, steady), { ...policy, limit: 4 }).under).toBeGreaterThan(0);
  expect(evaluate(run(5, steady), { ...policy, limit: 4 }).over).toBeGreaterThan(0);
});
