import { expect, test } from "vitest";
import { ServiceError } from "#shared/errors/service-error.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";

/** Creates a clock whose sleeps pass at once, and notes them. */
function createClock() {
  let nowMs = 0;
  const slept: number[] = [];
  const sleep = (durationMs: number) => {
    slept.push(durationMs);
    nowMs += durationMs;
    return Promise.resolve();
  };
  return { slept, clock: { now: () => nowMs, sleep } };
}

const unavailable = new ServiceError("unavailable", "the registry is starting");

test("waits longer after each failure, and throws the last error once the time limit has passed", async () => {
  const { slept, clock } = createClock();
  const notes: string[] = [];
  const call = () => Promise.reject(unavailable);
  const done = retryWhileUnavailable(call, 20_000, ({ message }) => void notes.push(message), clock);
  await expect(done).rejects.toBe(unavailable);
  expect(slept.length).toBeGreaterThanOrEqual(6);
  expect(slept.length).toBeLessThan(10);
  expect(slept.slice(0, 3)).toEqual(slept.slice(0, 3).toSorted((one, other) => one - other));
  expect(notes).toHaveLength(slept.length);
});

test("throws an error that a retry cannot resolve at once", async () => {
  const { slept, clock } = createClock();
  const call = () => Promise.reject(new ServiceError("bad_request", "sku is empty"));
  await expect(retryWhileUnavailable(call, 20_000, () => undefined, clock)).rejects.toThrow("sku is empty");
  expect(slept).toEqual([]);
});
