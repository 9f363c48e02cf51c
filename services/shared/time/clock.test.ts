import { expect, test, vi } from "vitest";
import { steadyClock, systemClock } from "./clock.ts";

test("sleep resolves after the duration", async () => {
  const startedAt = performance.now();
  await systemClock.sleep(30);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(29);
});

test("sleep resolves immediately, without an error, when its signal aborts or is already aborted", async () => {
  const controller = new AbortController();
  const sleeping = systemClock.sleep(60_000, controller.signal);
  controller.abort();
  await sleeping;
  await systemClock.sleep(60_000, controller.signal);
});

test("the steady clock ignores changes to the wall clock", () => {
  const before = steadyClock.now();
  expect(Math.abs(before - Date.now())).toBeLessThan(60_000);
  const set = vi.spyOn(Date, "now").mockReturnValue(0);
  try {
    expect(steadyClock.now()).toBeGreaterThanOrEqual(before);
  } finally {
    set.mockRestore();
  }
});
