import { expect, test } from "vitest";
import { ManualClock } from "../time/manual-clock-fixture.ts";
import { healthyAfterMs, keepConnected } from "./keep-connected.ts";

/** Runs {@link keepConnected} on a manual clock. @param use receives the number of the connection, counted from 1 */
function connecting(use: (connection: number, clock: ManualClock) => Promise<void>) {
  const clock = new ManualClock();
  const pauses: number[] = [];
  const failures: unknown[] = [];
  let connections = 0;
  const loop = keepConnected({
    connect: async () => ++connections,
    use: (connection) => use(connection, clock),
    onFailure: (error) => void failures.push(error),
    clock: {
      now: clock.now,
      sleep: (ms, signal) => {
        pauses.push(ms);
        return clock.sleep(ms, signal);
      },
    },
  });
  const paused = (times: number) => expect.poll(() => pauses).toHaveLength(times);
  return { clock, pauses, failures, connections: () => connections, paused, stop: () => loop.stop() };
}

test("doubles the pause, up to 5 s, between connections that close right after they open", async () => {
  const { clock, pauses, failures, connections, paused, stop } = connecting(async () => undefined);
  for (let pause = 1; pause <= 6; pause++) {
    await paused(pause);
    expect(connections()).toBe(pause);
    await clock.endSleep();
  }
  await paused(7);
  const longest = [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000];
  for (const [index, ms] of longest.entries()) {
    expect(pauses[index]).toBeLessThanOrEqual(ms);
    expect(pauses[index]).toBeGreaterThan(ms / 2);
  }
  expect(failures).toEqual(longest.map(() => undefined));
  await stop();
  expect(connections()).toBe(7);
});

test("after a healthy connection, restarts the backoff with the shortest pause", async () => {
  const lasting = 4;
  const { clock, pauses, paused, stop } = connecting(async (connection, one) => {
    if (connection === lasting) await one.advance(healthyAfterMs);
  });
  for (let pause = 1; pause < lasting; pause++) {
    await paused(pause);
    await clock.endSleep();
  }
  await paused(lasting);
  expect(pauses.at(-1)).toBeLessThanOrEqual(250);
  await stop();
});

test("reports the error of a connection and connects again", async () => {
  const broken = new Error("broken");
  const { clock, failures, connections, paused, stop } = connecting(async () => {
    throw broken;
  });
  await paused(1);
  await clock.endSleep();
  await paused(2);
  expect(failures).toEqual([broken, broken]);
  expect(connections()).toBe(2);
  await stop();
});
