import { expect, test } from "vitest";
import type { PullEndReason } from "./partition-pull.ts";
import { idleBatchSize, pullPartition } from "./pull-partition.ts";
import { Semaphore } from "./semaphore.ts";

/** Runs the loop with one request for each given result. A filled request keeps its slots. */
async function run(reasons: readonly PullEndReason[], concurrencyMax = 128) {
  const ended = Promise.withResolvers<void>();
  const slots = new Semaphore(concurrencyMax);
  const batches: number[] = [];
  const slept: number[] = [];
  let replaced = 0;
  const loop = pullPartition({
    request: async (count) => {
      const reason = reasons[batches.length] ?? "abandoned";
      batches.push(count);
      if (batches.length === reasons.length) ended.resolve();
      return { reason, unused: reason === "filled" ? 0 : count };
    },
    slots,
    concurrencyMax,
    whenReady: () => Promise.resolve(),
    replaceMissing: async () => {
      replaced++;
    },
    clock: { now: () => 0, sleep: async (durationMs) => void slept.push(durationMs) },
  });
  await ended.promise;
  await loop.stop();
  return { batches, slept, replaced, free: slots.free };
}

test("doubles the batch size with each filled request, up to half of all slots and within the free slots", async () => {
  const { batches, free } = await run([
    ...["filled", "filled", "filled", "filled", "filled"],
    ...["expired", "expired"],
  ] as const);
  expect(batches).toEqual([4, 8, 16, 32, 64, 4, 4]);
  expect(free).toBe(128 - 124);
});

test("releases the slots of messages that did not arrive", async () => {
  expect((await run(["expired", "abandoned", "failed", "missing"])).free).toBe(128);
});

test("creates a missing consumer, and retries failures with exponential backoff", async () => {
  const { slept, replaced } = await run(["missing", "failed", "failed", "expired", "failed", "expired"]);
  expect(replaced).toBe(1);
  expect(slept).toHaveLength(4);
  // 100 ms, shortened by up to a quarter at random.
  expect(slept[0]).toBeGreaterThanOrEqual(75);
  expect(slept[0]).toBeLessThanOrEqual(100);
  expect(slept[2]).toBeGreaterThan(slept[0] ?? 0);
  expect(slept[3]).toBeLessThan(slept[2] ?? 0);
});

test("idle partitions together leave at least half of the slots free", () => {
  expect(idleBatchSize(128)).toBe(4);
  expect(idleBatchSize(32)).toBe(1);
  expect(16 * idleBatchSize(500)).toBeLessThanOrEqual(250);
});
