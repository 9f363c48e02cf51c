import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { StallWatch } from "./stall-watch.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const limitMs = 10_000;

test("does not abort a slow run that makes progress", () => {
  let count = 0;
  using watch = new StallWatch({ progress: () => count, limitMs });
  for (; count < 50; count++) vi.advanceTimersByTime(9_500);
  expect(watch.signal.aborted).toBe(false);
});

test("aborts when there has been no progress for the whole time limit, and not before", () => {
  let count = 0;
  using watch = new StallWatch({ progress: () => count, limitMs });
  vi.advanceTimersByTime(5_000);
  count++;
  vi.advanceTimersByTime(9_900);
  expect(watch.signal.aborted).toBe(false);
  vi.advanceTimersByTime(300);
  expect(watch.signal.aborted).toBe(true);
  expect(watch.signal.reason).toEqual(new Error("no progress for 10 s"));
});

test("stops watching when disposed", () => {
  const watch = new StallWatch({ progress: () => 0, limitMs });
  watch[Symbol.dispose]();
  vi.advanceTimersByTime(60_000);
  expect(watch.signal.aborted).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});
