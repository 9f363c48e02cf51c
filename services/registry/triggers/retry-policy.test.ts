import { expect, test } from "vitest";
import { decideFailure, defaultRetryPolicy, pauseMs } from "./retry-policy.ts";

const start = new Date("2026-11-22T00:00:00.000Z");
const after = (ms: number) => new Date(start.getTime() + ms);
const hourMs = 3_600_000;
const failed = { attempts: 1, firstAttemptAt: start, isTest: false, httpStatus: 500 };
const decide = (change: Partial<typeof failed>, atMs: number, lastDeliveredAt: Date | null = null) =>
  decideFailure({ ...failed, ...change }, lastDeliveredAt, after(atMs), defaultRetryPolicy);

// The jitter shortens a delay by up to a quarter.
test.each([
  [1, 10_000],
  [2, 20_000],
  [5, 160_000],
  [9, 2_560_000],
  [10, hourMs],
  [30, hourMs],
])("after failed attempt %i, the next attempt follows within %i ms", (attempts, longestMs) => {
  const decision = decide({ attempts }, 1_000);
  if (decision.kind !== "retry") throw new Error("gave up");
  const delayMs = decision.at.getTime() - after(1_000).getTime();
  expect(delayMs).toBeGreaterThanOrEqual(0.75 * longestMs);
  expect(delayMs).toBeLessThanOrEqual(longestMs);
});

test("a receiver that is down for the whole horizon gets 26 to 49 attempts, the last one at the horizon", () => {
  let now = 0;
  let attempts = 1;
  for (;;) {
    const decision = decide({ attempts }, now);
    if (decision.kind === "give_up") break;
    now = decision.at.getTime() - start.getTime();
    attempts++;
  }
  expect(now).toBe(defaultRetryPolicy.horizonMs);
  expect(attempts).toBeGreaterThan(25);
  expect(attempts).toBeLessThan(50);
});

test.each([
  ["nothing was ever delivered", null, "failing"],
  ["the last delivery was before the first attempt", after(-1), "failing"],
  ["another event was delivered in the meantime", after(hourMs), undefined],
])(
  "at the horizon, gives up on an event and decides whether to disable its trigger: %s",
  (_case, deliveredAt, disables) => {
    const atHorizon = decide({ attempts: 30 }, defaultRetryPolicy.horizonMs, deliveredAt);
    expect(atHorizon).toEqual({ kind: "give_up", disables });
    expect(decide({ attempts: 30 }, defaultRetryPolicy.horizonMs - 1, deliveredAt).kind).toBe("retry");
  },
);

test.each([
  ["the status 410", { httpStatus: 410 }, "gone"],
  ["a test message", { isTest: true }, undefined],
  ["a test message with the status 410", { isTest: true, httpStatus: 410 }, undefined],
])("no attempt follows %s", (_case, change, disables) => {
  expect(decide(change, 0)).toEqual({ kind: "give_up", disables });
});

test.each([
  [1, 1_000],
  [3, 4_000],
  [7, 60_000],
  [1_000, 60_000],
])("a trigger that failed %i times in a row is paused for at most %i ms", (failures, longestMs) => {
  const pause = pauseMs(failures, defaultRetryPolicy);
  expect(pause).toBeGreaterThanOrEqual(0.75 * longestMs);
  expect(pause).toBeLessThanOrEqual(longestMs);
});
