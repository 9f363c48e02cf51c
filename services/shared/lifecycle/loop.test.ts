import { expect, test } from "vitest";
import { ManualClock } from "../time/manual-clock-fixture.ts";
import { Loop, type LoopOptions } from "./loop.ts";

const settle = () => new Promise(setImmediate);

/** Starts a loop on a clock that the test controls. `step` receives the number of earlier steps. */
async function startLoop(step: (earlier: number) => number | Promise<number>, more: Partial<LoopOptions> = {}) {
  const clock = new ManualClock();
  const startedAt: number[] = [];
  const counted = () => {
    startedAt.push(clock.now());
    return step(startedAt.length - 1);
  };
  const loop = new Loop(Object.assign({ step: counted, clock }, more));
  loop.start();
  await settle();
  return { loop, startedAt, passPause: () => clock.endSleep() };
}

test("pauses between two steps as long as the step asks, and not at all for 0", async () => {
  const { startedAt, passPause, loop } = await startLoop((earlier) => (earlier === 0 ? 0 : 1_000));
  expect(startedAt).toEqual([0, 0]);
  await passPause();
  expect(startedAt).toEqual([0, 0, 1_000]);
  await loop.stop();
});

test("waits before the first step, and starts none if it is stopped meanwhile", async () => {
  const { startedAt, loop } = await startLoop(() => 1_000, { firstPauseMs: 500 });
  expect(startedAt).toEqual([]);
  await loop.stop();
  expect(startedAt).toEqual([]);
});

test.each([1_000, Number.POSITIVE_INFINITY])("ends a pause of %d ms at a wake-up", async (pauseMs) => {
  const { startedAt, loop } = await startLoop(() => pauseMs);
  expect(startedAt).toHaveLength(1);
  loop.wake();
  await settle();
  expect(startedAt).toHaveLength(2);
  await loop.stop();
});

test("does not lose a wake-up that arrives during a step", async () => {
  const first = Promise.withResolvers<number>();
  const { startedAt, loop } = await startLoop((earlier) => (earlier === 0 ? first.promise : 1_000));
  loop.wake();
  first.resolve(1_000);
  await settle();
  expect(startedAt).toHaveLength(2);
  await settle();
  expect(startedAt).toHaveLength(2);
  await loop.stop();
});

test("stops only once the step in progress has ended, and starts no step afterwards", async () => {
  const first = Promise.withResolvers<number>();
  const { startedAt, loop } = await startLoop(() => first.promise);
  let hasStopped = false;
  const stopped = loop.stop().then(() => {
    hasStopped = true;
  });
  await settle();
  expect([hasStopped, loop.stopping.aborted]).toEqual([false, true]);
  first.resolve(0);
  await stopped;
  loop.start();
  loop.wake();
  await settle();
  expect(startedAt).toHaveLength(1);
});

test("a loop that is stopped before its start runs no step", async () => {
  let steps = 0;
  const loop = new Loop({ step: () => ++steps, clock: new ManualClock() });
  await loop.stop();
  loop.start();
  await settle();
  expect(steps).toBe(0);
});

test("reports each failure and backs off exponentially despite wake-ups, from the first pause after a success", async () => {
  const failures: unknown[] = [];
  const outcomes = ["a", "b", undefined, "c", undefined];
  const step = (earlier: number) => {
    const problem = outcomes[earlier];
    return problem === undefined ? 1 : Promise.reject(problem);
  };
  const onFailure = (error: unknown) => void failures.push(error);
  const { startedAt, passPause, loop } = await startLoop(step, {
    onFailure,
    failurePauseMs: { first: 100, max: 1_000 },
  });
  loop.wake();
  await settle();
  expect(startedAt).toHaveLength(1);
  for (const _ of outcomes) await passPause();
  await loop.stop();
  expect(failures).toEqual(["a", "b", "c"]);
  const pauses = startedAt.slice(1).map((at, index) => at - (startedAt[index] ?? 0));
  const bounds = [100, 200, 1, 100, 1];
  for (const [index, most] of bounds.entries()) {
    expect(pauses[index]).toBeLessThanOrEqual(most);
    expect(pauses[index]).toBeGreaterThanOrEqual(most === 1 ? 1 : most * 0.75);
  }
});

test("ends the pause after a failure when it is stopped", async () => {
  const { startedAt, loop } = await startLoop(() => Promise.reject(new Error("failed")));
  await loop.stop();
  expect(startedAt).toHaveLength(1);
});
