import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";

test("sleeping ends after its time, and not before", async () => {
  const beginAt = performance.now();
  await systemClock.sleep(30);
  expect(performance.now() - beginAt).toBeGreaterThanOrEqual(29);
});

test("sleeping ends at once, without an error, when its signal aborts or has aborted", async () => {
  const controller = new AbortController();
  const sleeping = systemClock.sleep(60_000, controller.signal);
  controller.abort();
  await sleeping;
  await systemClock.sleep(60_000, controller.signal);
});
