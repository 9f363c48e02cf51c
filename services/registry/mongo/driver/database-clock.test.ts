import { describe, expect, test } from "vitest";
import { DatabaseClock } from "./database-clock.ts";

/** Creates a clock whose monotonic clock and database the test controls. */
function testClock() {
  const state = { steadyMs: 5_000, databaseMs: Date.UTC(2030, 0, 1) };
  const clock = new DatabaseClock({ now: () => state.steadyMs, sleep: async () => undefined });
  const pass = (durationMs: number) => {
    state.steadyMs += durationMs;
    state.databaseMs += durationMs;
  };
  const beat = (outMs: number, backMs: number) =>
    clock.observe(async () => {
      pass(outMs);
      const at = new Date(state.databaseMs);
      pass(backMs);
      return { at };
    });
  return { clock, state, pass, beat, errorMs: () => clock.now() - state.databaseMs };
}

describe("DatabaseClock", () => {
  test("is at most the round trip behind the database's time after the first heartbeat, and never ahead", async () => {
    const { pass, beat, errorMs } = testClock();
    await beat(3, 40);
    expect(errorMs()).toBe(-40);
    pass(1_500);
    expect(errorMs()).toBe(-40);
  });

  test("becomes more exact with a faster heartbeat, and keeps that through slower ones", async () => {
    const { beat, errorMs } = testClock();
    await beat(3, 40);
    await beat(2, 5);
    expect(errorMs()).toBe(-5);
    for (const [outMs, backMs] of [
      [0, 300],
      [300, 6],
    ] as const)
      await beat(outMs, backMs);
    expect(errorMs()).toBe(-5);
  });

  test.each([
    ["set back by an hour", -3_600_000],
    ["set ahead by an hour", 3_600_000],
    ["running on while this process and its monotonic clock were suspended for an hour", 3_600_000],
  ])("follows the database's clock with the next heartbeat after it was %s", async (_how, jumpMs) => {
    const { state, beat, errorMs } = testClock();
    await beat(1, 1);
    state.databaseMs += jumpMs;
    await beat(1, 1);
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(1);
  });

  test("counts on while heartbeats fail", async () => {
    const { clock, pass, beat, errorMs } = testClock();
    await beat(1, 1);
    pass(60_000);
    await expect(clock.observe(() => Promise.reject(new Error("unavailable")))).rejects.toThrow("unavailable");
    expect(errorMs()).toBe(-1);
  });

  test("has no time before the first heartbeat", () => {
    expect(() => testClock().clock.now()).toThrow("before the first heartbeat");
  });
});
