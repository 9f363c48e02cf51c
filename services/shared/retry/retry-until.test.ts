import { expect, test } from "vitest";
import { systemClock } from "../time/clock.ts";
import { PassingClock } from "../time/passing-clock-fixture.ts";
import { retryUntil } from "./retry-until.ts";

const pauseMs = { first: 100, max: 300 };

/** Returns a call that fails a number of times, and a clock that notes the pauses. */
function failing(times: number) {
  const clock = new PassingClock();
  let calls = 0;
  const call = async () => {
    calls += 1;
    if (calls <= times) throw new Error(`failure ${calls}`);
    return calls;
  };
  return { call, slept: clock.slept, clock };
}

test("repeats a call with growing pauses that vary, until it succeeds", async () => {
  const { call, slept, clock } = failing(4);
  expect(await retryUntil(call, { pauseMs, clock })).toBe(5);
  for (const [index, full] of [100, 200, 300, 300].entries()) {
    expect(slept[index]).toBeGreaterThanOrEqual(full * 0.75);
    expect(slept[index]).toBeLessThanOrEqual(full);
  }
  expect(new Set(slept).size).toBe(4);
});

test.each([
  ["that is final", { isFinal: (error: unknown) => String(error).endsWith("failure 3") }],
  ["of the last attempt", { attemptsMax: 3 }],
])("throws the error %s", async (_which, bound) => {
  const { call, slept, clock } = failing(9);
  await expect(retryUntil(call, { ...bound, pauseMs, clock })).rejects.toThrow("failure 3");
  expect(slept).toHaveLength(2);
});

test.each([
  ["the first that is no failure", 9, 3],
  ["the last one", 2, 2],
])("repeats a call while its result is a failure, and returns %s", async (_which, attemptsMax, expected) => {
  const { call, slept, clock } = failing(0);
  const isFailure = (result: number) => result < 3;
  expect(await retryUntil(call, { isFailure, attemptsMax, pauseMs, clock })).toBe(expected);
  expect(slept).toHaveLength(expected - 1);
});

test("pauses for as long as a function decides by the error, or not at all", async () => {
  const { call, slept, clock } = failing(3);
  const pauseOf = (error: unknown, failures: number) =>
    String(error).endsWith("failure 2") ? undefined : 10 * (failures + 1);
  expect(await retryUntil(call, { pauseMs: pauseOf, clock })).toBe(4);
  expect(slept).toEqual([10, 30]);
});

test("makes no further call after an error between two attempts", async () => {
  const { call, clock } = failing(9);
  const beforeRetry = async (error: unknown) => {
    throw new Error(`stopped after ${error}`);
  };
  await expect(retryUntil(call, { pauseMs, clock, beforeRetry })).rejects.toThrow("stopped after Error: failure 1");
  await expect(call()).rejects.toThrow("failure 2");
});

test("makes one last call at once when the signal aborts during a pause", async () => {
  const { call } = failing(9);
  const stop = new AbortController();
  const onRetry = () => void setImmediate(() => stop.abort("stopped"));
  const long = { first: 600_000, max: 600_000 };
  const made = retryUntil(call, { onRetry, pauseMs: long, clock: systemClock, signal: stop.signal });
  await expect(made).rejects.toThrow("failure 2");
});
