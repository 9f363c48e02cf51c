import { expect, test } from "vitest";
import type { Clock } from "#shared/time/clock.ts";
import { LeaseKeeper } from "./lease-keeper.ts";

/** Creates a keeper whose lease and clock the test controls through `state`. */
function testKeeper() {
  const state = { nowMs: 0, isHeld: true, requests: 0 };
  const clock: Clock = { now: () => state.nowMs, sleep: async () => undefined };
  const acquire = async () => {
    state.requests++;
    return state.isHeld;
  };
  return { state, keeper: new LeaseKeeper({ acquire, release: async () => undefined }, clock) };
}

test("renews the lease at most once a second, and remains certain of it for four seconds after a renewal", async () => {
  const { state, keeper } = testKeeper();
  expect(keeper.isCertain).toBe(false);
  expect(await keeper.keep()).toBe("reacquired");
  state.nowMs = 999;
  expect([await keeper.keep(), state.requests]).toEqual(["held", 1]);
  state.nowMs = 1_000;
  expect([await keeper.keep(), state.requests]).toEqual(["held", 2]);
  state.nowMs = 4_999;
  expect(keeper.isCertain).toBe(true);
  state.nowMs = 5_000;
  expect(keeper.isCertain).toBe(false);
});

test.each([
  [4_999, "held"],
  [5_000, "reacquired"],
])("a renewal after %d ms reports the lease as %s", async (afterMs, expected) => {
  const { state, keeper } = testKeeper();
  await keeper.keep();
  state.nowMs = afterMs;
  expect(await keeper.keep()).toBe(expected);
});

test.each(["lost", "invalidated", "released"])("reports a lease as reacquired after it was %s", async (how) => {
  const { state, keeper } = testKeeper();
  await keeper.keep();
  state.nowMs = 1_000;
  state.isHeld = how !== "lost";
  if (how === "invalidated") keeper.invalidate();
  if (how === "released") await keeper.release();
  if (how === "lost") expect(await keeper.keep()).toBe("lost");
  expect(keeper.isCertain).toBe(false);
  state.isHeld = true;
  expect(await keeper.keep()).toBe("reacquired");
});
