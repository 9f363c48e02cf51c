import fc from "fast-check";
import { expect, test } from "vitest";
import { windowModel } from "../../../services/registry/stores/window-model-fixture.ts";
import { judge } from "./verdict.ts";

const policy = { limit: 2, windowMs: 1_000 };

const admitted = (sentAt: number, receivedAt: number) => ({ isAdmitted: true, sentAt, receivedAt });
const refused = (sentAt: number, receivedAt: number) => ({ isAdmitted: false, sentAt, receivedAt });
const pair = [admitted(0, 9), admitted(100, 109)];

test("a full window admits again one window later, and not a millisecond earlier", () => {
  const third = (at: number) =>
    judge({ exchanges: [...pair, admitted(at, at + 5)], admittedAt: [1, 101, at] }, policy);
  expect(third(1_001)).toEqual({ admitted: 3, refused: 0, over: 0, under: 0, unmatched: 0, fullest: 2 });
  expect(third(1_000)).toMatchObject({ over: 1, fullest: 3 });
});

test.each<[string, sentAt: number, receivedAt: number, under: number]>([
  ["while the window was full", 300, 309, 0],
  ["before the window was full", 50, 100, 1],
  ["sent before it was full, answered after it", 50, 101, 0],
  ["sent while it was full, answered after it had room", 1_000, 1_050, 0],
  ["sent when it had room again", 1_001, 1_050, 1],
])("a refusal %s", (_name, sentAt, receivedAt, under) => {
  const exchanges = [...pair, refused(sentAt, receivedAt)];
  expect(judge({ exchanges, admittedAt: [1, 101] }, policy)).toMatchObject({ refused: 1, under });
});

test("an admitted request needs an admission of its own while it is under way", () => {
  const unmatched = (admittedAt: number[]) => judge({ exchanges: pair, admittedAt }, policy).unmatched;
  expect(unmatched([0, 109])).toBe(0);
  expect(unmatched([5])).toBe(1);
  expect(unmatched([5, 6])).toBe(2);
  expect(unmatched([5, 99])).toBe(2);
  expect(unmatched([5, 105, 300])).toBe(1);
  // The one that is answered first takes the first one.
  const overlapping = [admitted(0, 100), admitted(10, 20)];
  expect(judge({ exchanges: overlapping, admittedAt: [15, 50] }, policy).unmatched).toBe(0);
});

const steps = fc.array(fc.tuple(fc.nat(400), fc.nat(30), fc.nat(30)), { minLength: 60, maxLength: 60 });

/** Requests to a model of the window: each is decided some time after it is sent and before it is answered. */
function run(limit: number, gaps: readonly (readonly [number, number, number])[]) {
  const ask = windowModel({ ...policy, limit });
  let at = 0;
  const decided = gaps.map(([gap, since, until]) => {
    at += gap;
    const { isAdmitted } = ask(at);
    return { at, exchange: { isAdmitted, sentAt: at - since, receivedAt: at + until } };
  });
  return {
    exchanges: decided.map(({ exchange }) => exchange),
    admittedAt: decided.filter(({ exchange }) => exchange.isAdmitted).map((one) => one.at),
  };
}

test("nothing is wrong with what the model decides, and one place more or fewer is found out", () => {
  fc.assert(
    fc.property(steps, (gaps) => {
      const limit = 4;
      expect(judge(run(limit, gaps), { ...policy, limit })).toMatchObject({
        over: 0,
        under: 0,
        unmatched: 0,
      });
      const more = run(limit + 1, gaps);
      const isOverNeeded = judge(more, policy).fullest > limit;
      expect(judge(more, { ...policy, limit }).over > 0).toBe(isOverNeeded);
    }),
  );
  const steady = Array.from({ length: 100 }, () => [50, 5, 5] as const);
  expect(judge(run(3, steady), { ...policy, limit: 4 }).under).toBeGreaterThan(0);
  expect(judge(run(5, steady), { ...policy, limit: 4 }).over).toBeGreaterThan(0);
});
