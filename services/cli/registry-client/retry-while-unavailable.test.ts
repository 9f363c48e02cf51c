import { expect, test } from "vitest";
import { ServiceError } from "#shared/errors/service-error.ts";
import { PassingClock } from "#shared/time/passing-clock-fixture.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";

const unavailable = new ServiceError("unavailable", "the registry is starting");

test("waits longer after each failure, and throws the last error once the time limit has passed", async () => {
  const clock = new PassingClock();
  const notes: string[] = [];
  const call = () => Promise.reject(unavailable);
  const done = retryWhileUnavailable(call, 20_000, ({ message }) => void notes.push(message), clock);
  await expect(done).rejects.toBe(unavailable);
  expect(clock.slept.length).toBeGreaterThanOrEqual(6);
  expect(clock.slept.length).toBeLessThan(10);
  expect(clock.slept.slice(0, 3)).toEqual(clock.slept.slice(0, 3).toSorted((one, other) => one - other));
  expect(notes).toHaveLength(clock.slept.length);
});

test("throws an error that a retry cannot resolve at once", async () => {
  const clock = new PassingClock();
  const call = () => Promise.reject(new ServiceError("bad_request", "sku is empty"));
  await expect(retryWhileUnavailable(call, 20_000, () => undefined, clock)).rejects.toThrow("sku is empty");
  expect(clock.slept).toEqual([]);
});
