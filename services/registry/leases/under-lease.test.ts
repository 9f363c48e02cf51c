import { expect, test } from "vitest";
import { createSteppedClock } from "#shared/time/stepped-clock-fixture.ts";
import { underLease } from "./under-lease.ts";

const lifeMs = 4_000;
const settle = () => new Promise(setImmediate);

/** Starts work under a lease on a stepped clock. The work lasts until `finish` is called. */
function startWork(renew: () => Promise<boolean>) {
  const clock = createSteppedClock();
  const work = Promise.withResolvers<void>();
  let lost: AbortSignal | undefined;
  const done = underLease({ renew, lifeMs, steadyClock: clock }, (signal) => {
    lost = signal;
    return work.promise;
  });
  const finish = async () => {
    work.resolve();
    await done;
  };
  const passPause = async () => {
    clock.endSleep();
    await settle();
  };
  return { clock, finish, passPause, isLost: () => lost?.aborted };
}

test("renews the claim four times in its life, for as long as the work takes", async () => {
  let renewals = 0;
  const { clock, finish, passPause, isLost } = startWork(async () => ++renewals > 0);
  for (let pause = 1; pause <= 12; pause++) await passPause();
  expect([renewals, clock.now(), isLost()]).toEqual([12, 3 * lifeMs, false]);
  await finish();
});

test("aborts the work when another replica has taken over", async () => {
  const { finish, passPause, isLost } = startWork(async () => false);
  await passPause();
  expect(isLost()).toBe(true);
  await finish();
});

test("aborts the work a quarter of the claim's life before the claim expires, if a renewal gets no answer", async () => {
  const { clock, finish, passPause, isLost } = startWork(() => new Promise(() => undefined));
  await passPause();
  expect(isLost()).toBe(false);
  await passPause();
  expect([isLost(), clock.now()]).toEqual([true, 0.75 * lifeMs]);
  await finish();
});

test("repeats failed renewals, until the claim is about to expire", async () => {
  const { clock, finish, passPause, isLost } = startWork(() => Promise.reject(new Error("unavailable")));
  await passPause();
  await passPause();
  expect(isLost()).toBe(false);
  await passPause();
  expect([isLost(), clock.now()]).toEqual([true, 0.75 * lifeMs]);
  await finish();
});
