import { expect, test } from "vitest";
import { PlanRefusals } from "./plan-refusals.ts";

const rate = { limit: 120, windowSeconds: 60 };
const [one, other, third] = ["one", "other", "third"] as const;

function startRefusals(keysMax?: number) {
  let nowMs = 0;
  const clock = { now: () => nowMs, sleep: () => Promise.resolve() };
  const refusals = new PlanRefusals(clock, keysMax === undefined ? {} : { keysMax });
  return {
    refusals,
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** Sends requests with a key whose store lacks the required plan. @returns how many reach the registry */
    passedOn: (count: number, key: string = one) => {
      let passed = 0;
      for (let request = 0; request < count; request++) {
        if (refusals.takeToken(key) !== undefined) continue;
        passed++;
        refusals.noteRefusal(key, rate);
      }
      return passed;
    },
  };
}

test("applies the store's rate limit to requests with a key whose store lacks the plan", () => {
  const { refusals, passedOn, pass } = startRefusals();
  expect(passedOn(600)).toBe(120);
  expect(refusals.takeToken(one)).toEqual({ rate, waitSeconds: 1 });
  pass(10_000);
  expect(passedOn(600)).toBe(20);
  pass(60_000);
  expect(passedOn(600)).toBe(120);
});

test("never limits a client that stays within the rate limit", () => {
  const { passedOn, pass } = startRefusals();
  for (let request = 0; request < 1_000; request++) {
    expect(passedOn(1)).toBe(1);
    pass(500);
  }
});

test("gives each key its own budget, and does not limit a key that was never refused for lack of the plan", () => {
  const { refusals, passedOn } = startRefusals();
  passedOn(600);
  expect(passedOn(1, other)).toBe(1);
  for (let request = 0; request < 600; request++) expect(refusals.takeToken(third)).toBeUndefined();
});

test("removes a key's budget at the first decision other than a refusal for lack of the plan", () => {
  const { refusals, passedOn } = startRefusals();
  passedOn(600);
  refusals.noteOther(one);
  for (let request = 0; request < 600; request++) expect(refusals.takeToken(one)).toBeUndefined();
});

test("forgets the least recently used key when the maximum number of keys is exceeded", () => {
  const { refusals, passedOn } = startRefusals(2);
  for (const key of [one, other, third]) passedOn(600, key);
  expect([one, other, third].map((key) => refusals.takeToken(key) === undefined)).toEqual([true, false, false]);
});
