import { expect, test } from "vitest";
import type { Clock } from "#shared/time/clock.ts";
import { LeaseKeeper } from "./lease-keeper.ts";
import { type LeasedTask, taskLeaseMs } from "./leased-queue.ts";

/** Creates a keeper whose lease and clock the test controls through `state`. */
function testKeeper() {
  const state = { nowMs: 0, isHeld: true, requests: 0, replyMs: 0 };
  const clock: Clock = { now: () => state.nowMs, sleep: async () => undefined };
  const request = () => {
    state.requests++;
    state.nowMs += state.replyMs;
    return state.isHeld;
  };
  const task: LeasedTask = {
    lifeMs: taskLeaseMs,
    claim: async () => (request() ? { id: "task", token: "one" } : undefined),
    renew: async () => request(),
    release: async () => true,
  };
  return { state, keeper: new LeaseKeeper(task, clock) };
}

test("renews the lease at most once a second, and remains certain of it for four seconds after a renewal", async () => {
  const { state, keeper } = testKeeper();
  expect(keeper.isCertain).toBe(false);
  expect(await keeper.keep()).toBe(true);
  state.nowMs = 999;
  expect([await keeper.keep(), state.requests]).toEqual([true, 1]);
  state.nowMs = 1_000;
  expect([await keeper.keep(), state.requests]).toEqual([true, 2]);
  state.nowMs = 4_999;
  expect(keeper.isCertain).toBe(true);
  state.nowMs = 5_000;
  expect(keeper.isCertain).toBe(false);
});

test.each(["lost", "released"])("is certain of a lease that was %s only once it is claimed again", async (how) => {
  const { state, keeper } = testKeeper();
  await keeper.keep();
  state.nowMs = 1_000;
  state.isHeld = how !== "lost";
  if (how === "released") await keeper.release();
  if (how === "lost") expect(await keeper.keep()).toBe(false);
  expect(keeper.isCertain).toBe(false);
  state.isHeld = true;
  expect([await keeper.keep(), keeper.isCertain]).toEqual([true, true]);
});

test("claims lost work again only when asked to keep a task, not when asked to renew the lease of one piece of work", async () => {
  const { state, keeper } = testKeeper();
  expect(await keeper.claim()).toEqual({ id: "task", token: "one" });
  state.nowMs = 1_000;
  state.isHeld = false;
  expect(await keeper.renew()).toBe(false);
  state.isHeld = true;
  expect([await keeper.renew(), state.requests, keeper.isCertain]).toEqual([false, 2, false]);
  expect(await keeper.keep()).toBe(true);
});

test("does not rely on a renewal of which it learns when the lease may have expired", async () => {
  const { state, keeper } = testKeeper();
  await keeper.claim();
  state.nowMs = 1_000;
  state.replyMs = taskLeaseMs;
  expect(await keeper.renew()).toBe(false);
  state.replyMs = 0;
  expect(await keeper.renew()).toBe(true);
});

test("renews a lease whose renewal it learnt of late, instead of claiming it from itself", async () => {
  const { state, keeper } = testKeeper();
  await keeper.keep();
  state.nowMs = 1_000;
  state.replyMs = taskLeaseMs;
  expect([await keeper.keep(), state.requests]).toEqual([false, 2]);
  state.replyMs = 0;
  expect([await keeper.keep(), keeper.isCertain, state.requests]).toEqual([true, true, 3]);
});
