import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { ChangeQuota, changesAtOnceMax, changesPerDayMax } from "./change-quota.ts";

function open() {
  let nowMs = 0;
  const clock = { now: () => nowMs, sleep: () => Promise.resolve() };
  const quota = new ChangeQuota({ clock, metrics: new Registry() });
  return { quota, waitDay: () => (nowMs += 86_400_000) };
}

// The quota refills by one change in 17.28 seconds.
const limited = expect.objectContaining({ code: "rate_limited", retryAfterSeconds: 18 });
const ok = () => Promise.resolve("session");

test("a store's changes and sign-ins share a quota that refills over the day; other stores have their own", async () => {
  const { quota, waitDay } = open();
  for (let count = 1; count < changesAtOnceMax; count += 1) quota.take("one.example");
  expect(await quota.signIn("one.example", ok)).toBe("session");
  expect(() => quota.take("one.example")).toThrow(limited);
  await expect(quota.signIn("one.example", ok)).rejects.toEqual(limited);
  quota.take("other.example");
  waitDay();
  for (let count = 0; count < Math.min(changesAtOnceMax, changesPerDayMax); count += 1) quota.take("one.example");
  expect(() => quota.take("one.example")).toThrow(limited);
});

test("a sign-in that fails does not count, so that a forged token cannot lock a store out", async () => {
  const { quota } = open();
  const fail = () => Promise.reject(new Error("forged"));
  for (let count = 0; count < 2 * changesAtOnceMax; count += 1)
    await expect(quota.signIn("one.example", fail)).rejects.toThrow("forged");
  quota.take("one.example");
});
