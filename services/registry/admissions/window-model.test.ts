import fc from "fast-check";
import { expect, test } from "vitest";
import { rateLimitState } from "./admission.ts";
import { fullestWindow, windowModel } from "./window-model-fixture.ts";

const policy = { limit: 120, windowMs: 60_000 };

// Bursts, a load above the limit, and pauses; 1,500 requests span about 60 windows.
const gapMs = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 6, arbitrary: fc.nat(1_000) },
  { weight: 1, arbitrary: fc.constantFrom(499, 500, 501, 59_999, 60_000, 60_001) },
);
const arrivals = fc.array(gapMs, { minLength: 1_500, maxLength: 1_500 }).map((gaps) => {
  let at = 0;
  return gaps.map((gap) => {
    at += gap;
    return at;
  });
});
const runs = { numRuns: 40 };

test("admits at most 120 requests in any 60 seconds, and refuses a request only if the window is full", () => {
  fc.assert(
    fc.property(arrivals, (times) => {
      const admit = windowModel(policy);
      const admitted: number[] = [];
      for (const at of times) {
        const { isAdmitted } = admit(at);
        if (isAdmitted) admitted.push(at);
        else expect(admitted.filter((before) => at - before < policy.windowMs)).toHaveLength(policy.limit);
      }
      expect(fullestWindow(admitted, policy.windowMs)).toBeLessThanOrEqual(policy.limit);
    }),
    runs,
  );
});

test("sets a refusal's resetSeconds to the shortest wait, in whole seconds, before a request can be admitted", () => {
  fc.assert(
    fc.property(arrivals, (times) => {
      const admit = windowModel(policy);
      for (const at of times) {
        const { isAdmitted, taken } = admit(at);
        if (isAdmitted) continue;
        const oldest = new Date(Math.min(...taken));
        const window = { at: new Date(at), count: taken.length, oldest };
        const { resetSeconds, remaining } = rateLimitState(policy, window);
        const leftAt = (ms: number) => taken.filter((before) => ms - before < policy.windowMs).length;
        expect(remaining).toBe(0);
        expect(resetSeconds).toBeGreaterThan(0);
        expect(leftAt(at + 1_000 * resetSeconds)).toBeLessThan(policy.limit);
        expect(leftAt(at + 1_000 * (resetSeconds - 1))).toBe(policy.limit);
      }
    }),
    runs,
  );
});

test("counts an admission from exactly 60 seconds earlier as outside the half-open window", () => {
  expect(fullestWindow([0, 1, 60_000], 60_000)).toBe(2);
  expect(fullestWindow([0, 1, 59_999], 60_000)).toBe(3);
  expect(fullestWindow([], 60_000)).toBe(0);
});
