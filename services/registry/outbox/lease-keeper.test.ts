import { expect, test } from "vitest";
import type { Clock } from "#shared/time/clock.ts";
import { LeaseKeeper } from "./lease-keeper.ts";

/** A lease that is ours or not, as told, and a clock that is set. */
function hold() {
  const set = { nowMs: 0, isOurs: true, asked: 0 };
  const clock: Clock = { now: () => set.nowMs, sleep: async () => undefined };
  const ask = async () => {
    set.asked++;
    return set.isOurs;
  };
  return { set, held: new LeaseKeeper({ hold: ask, release: async () => undefined }, clock) };
}

test("is asked for once a second, and is certain for four", async () => {
  const { set, held } = hold();
  expect(held.isCertain).toBe(false);
  expect(await held.keep()).toBe("reacquired");
  set.nowMs = 999;
  expect([await held.keep(), set.asked]).toEqual(["held", 1]);
  set.nowMs = 1_000;
  expect([await held.keep(), set.asked]).toEqual(["held", 2]);
  set.nowMs = 4_999;
  expect(held.isCertain).toBe(true);
  set.nowMs = 5_000;
  expect(held.isCertain).toBe(false);
});

test.each([
  ["nobody else can have had it", 4_999, "held"],
  ["another may have had it", 5_000, "reacquired"],
])("when it was not asked for in a while: %s", async (_what, afterMs, state) => {
  const { set, held } = hold();
  await held.keep();
  set.nowMs = afterMs;
  expect(await held.keep()).toBe(state);
});

test.each(["lost to another", "doubted", "given back"])("is new again after it was %s", async (how) => {
  const { set, held } = hold();
  await held.keep();
  set.nowMs = 1_000;
  set.isOurs = how !== "lost to another";
  if (how === "doubted") held.invalidate();
  if (how === "given back") await held.release();
  if (how === "lost to another") expect(await held.keep()).toBe("lost");
  expect(held.isCertain).toBe(false);
  set.isOurs = true;
  expect(await held.keep()).toBe("reacquired");
});
