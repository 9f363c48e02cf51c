import { expect, test } from "vitest";
import type { PullEndReason } from "./partition-pull.ts";
import { idleShare, pullPartition } from "./pull-partition.ts";
import { Semaphore } from "./semaphore.ts";

/** Runs the loop over requests that end as the test says, and stops it after the last; a filled one keeps its slots. */
async function run(ends: readonly PullEndReason[], concurrencyMax = 128) {
  const stop = new AbortController();
  const slots = new Semaphore(concurrencyMax);
  const asked: number[] = [];
  const slept: number[] = [];
  let ensured = 0;
  await pullPartition({
    request: async (count) => {
      const reason = ends[asked.length] ?? "abandoned";
      asked.push(count);
      if (asked.length === ends.length) stop.abort();
      return { reason, unused: reason === "filled" ? 0 : count };
    },
    slots,
    concurrencyMax,
    whenReady: () => Promise.resolve(),
    ensure: async () => {
      ensured++;
    },
    clock: { now: () => 0, sleep: async (durationMs) => void slept.push(durationMs) },
    stopped: stop.signal,
  });
  return { asked, slept, ensured, free: slots.free };
}

test("a partition that fills its requests asks for more each time, up to what is free, and else for little", async () => {
  const { asked, free } = await run(["filled", "filled", "filled", "filled", "filled", "expired", "expired"]);
  expect(asked).toEqual([4, 8, 16, 32, 64, 4, 4]);
  expect(free).toBe(128 - 124);
});

test("slots of messages that did not come are free again", async () => {
  expect((await run(["expired", "abandoned", "failed", "missing"])).free).toBe(128);
});

test("a consumer that is missing is made again, and what fails is tried again with growing pauses", async () => {
  const { slept, ensured } = await run(["missing", "failed", "failed", "expired", "failed"]);
  expect(ensured).toBe(1);
  expect(slept).toHaveLength(4);
  expect(slept[2]).toBeGreaterThan(slept[0] ?? 0);
  expect(slept[3]).toBeLessThan(slept[2] ?? 0);
});

test("idle partitions together leave half of the slots free", () => {
  expect(idleShare(128)).toBe(4);
  expect(idleShare(32)).toBe(1);
  expect(16 * idleShare(500)).toBeLessThanOrEqual(250);
});
