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
  expect(await retryUntil(call, { isFinal: () => false, pauseMs, clock })).toBe(5);
  for (const [index, full] of [100, 200, 300, 300].entries()) {
    expect(slept[index]).toBeGreaterThanOrEqual(full * 0.75);
    expect(slept[index]).toBeLessThanOrEqual(full);
  }
  expect(new Set(slept).size).toBe(4);
});

test("throws the error that is final", async () => {
  const { call, slept, clock } = failing(9);
  const isFinal = (_error: unknown, failures: number) => failures === 3;
  await expect(retryUntil(call, { isFinal, pauseMs, clock })).rejects.toThrow("failure 3");
  expect(slept).toHaveLength(2);
});

test("makes one last call at once when the signal aborts during a pause", async () => {
  const { call } = failing(9);
  const stop = new AbortController();
  const isFinal = () => {
    setImmediate(() => stop.abort("stopped"));
    return false;
  };
  const long = { first: 600_000, max: 600_000 };
  const made = retryUntil(call, { isFinal, pauseMs: long, clock: systemClock, signal: stop.signal });
  await expect(made).rejects.toThrow("failure 2");
});
