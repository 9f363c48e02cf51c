import { expect, test } from "vitest";
import { ManualClock } from "../time/manual-clock-fixture.ts";
import { Batcher } from "./batcher.ts";

/** Records the batches of a batcher; each batch remains in flight until the test answers it or lets it fail. */
function heldBatches() {
  const calls: { items: readonly number[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const run = (items: readonly number[]) =>
    new Promise<string[]>((resolve, reject) => {
      calls.push({ items, answer: () => resolve(items.map((item) => `#${item}`)), fail: reject });
    });
  /** Waits until exactly these batches have begun. */
  const begun = (...batches: number[][]) =>
    expect.poll(() => calls.map(({ items }) => items), { interval: 1 }).toEqual(batches);
  return { calls, run, begun };
}

/** Waits until the batcher has started every batch that it can start now, which it does in a setImmediate callback. */
const settled = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

test("collects items that arrive while a batch is in flight, and returns each caller its item's output", async () => {
  const { calls, run, begun } = heldBatches();
  const batcher = new Batcher(run);
  const first = batcher.add(1);
  await begun([1]);
  const others = [2, 3, 4].map((item) => batcher.add(item));
  await settled();
  await begun([1]);
  calls[0]?.answer();
  expect(await first).toBe("#1");
  await begun([1], [2, 3, 4]);
  calls[1]?.answer();
  expect(await Promise.all(others)).toEqual(["#2", "#3", "#4"]);
});

test("sends the items added in one turn of the event loop as one batch", async () => {
  const { calls, run, begun } = heldBatches();
  const batcher = new Batcher(run);
  const all = [1, 2].map((item) => batcher.add(item));
  await Promise.resolve();
  all.push(batcher.add(3));
  await begun([1, 2, 3]);
  calls[0]?.answer();
  await Promise.all(all);
});

test("sends at most 500 items per batch and one batch at a time by default", async () => {
  const sizes: number[] = [];
  let inFlight = 0;
  const batcher = new Batcher(async (items: readonly number[]) => {
    expect(++inFlight).toBe(1);
    sizes.push(items.length);
    await settled();
    inFlight--;
    return items;
  });
  const items = Array.from({ length: 1_201 }, (_, index) => index);
  expect(await Promise.all(items.map((item) => batcher.add(item)))).toEqual(items);
  expect(sizes).toEqual([500, 500, 201]);
});

test("limits the number of concurrent batches", async () => {
  const { calls, run, begun } = heldBatches();
  const batcher = new Batcher(run, { concurrencyMax: 2 });
  const all = [batcher.add(1)];
  await begun([1]);
  all.push(batcher.add(2));
  await begun([1], [2]);
  all.push(batcher.add(3));
  await settled();
  all.push(batcher.add(4));
  await settled();
  await begun([1], [2]);
  calls[1]?.answer();
  expect(await all[1]).toBe("#2");
  await begun([1], [2], [3, 4]);
  calls[0]?.answer();
  calls[2]?.answer();
  expect(await Promise.all(all)).toEqual(["#1", "#2", "#3", "#4"]);
});

test("rejects only the items of a failed batch", async () => {
  const { calls, run, begun } = heldBatches();
  const batcher = new Batcher(run, { batchMax: 2 });
  const all = Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
  await begun([1, 2]);
  calls[0]?.fail(new Error("unavailable"));
  await begun([1, 2], [3]);
  calls[1]?.answer();
  expect(await all).toMatchObject([
    { status: "rejected", reason: { message: "unavailable" } },
    { status: "rejected", reason: { message: "unavailable" } },
    { status: "fulfilled", value: "#3" },
  ]);
});

test("continues after a synchronous error and after a wrong number of outputs", async () => {
  let calls = 0;
  const batcher = new Batcher((items: readonly number[]) => {
    calls++;
    if (calls === 1) throw new Error("synchronous");
    return Promise.resolve(calls === 2 ? [] : items);
  });
  await expect(batcher.add(1)).rejects.toThrow("synchronous");
  await expect(batcher.add(2)).rejects.toThrow("returned 0 outputs");
  expect(await batcher.add(3)).toBe(3);
});

function manualClock() {
  const clock = new ManualClock();
  const advanceTo = async (timeMs: number) => {
    await clock.advance(timeMs - clock.now());
    await settled();
  };
  return { clock, advanceTo };
}

test("starts a batch one interval after the previous batch, or immediately if that interval has passed", async () => {
  const { clock, advanceTo } = manualClock();
  const { calls, run, begun } = heldBatches();
  const batcher = new Batcher(run, { pace: { intervalMs: 20, burst: 1, clock } });
  const all = [batcher.add(1)];
  await begun([1]);
  calls[0]?.answer();
  await advanceTo(10);
  all.push(batcher.add(2));
  await advanceTo(19);
  all.push(batcher.add(3));
  await settled();
  await begun([1]);
  await advanceTo(20);
  await begun([1], [2, 3]);
  await advanceTo(60);
  // The second batch is still in flight.
  all.push(batcher.add(4));
  await settled();
  expect(calls).toHaveLength(2);
  calls[1]?.answer();
  await begun([1], [2, 3], [4]);
  calls[2]?.answer();
  expect(await Promise.all(all)).toEqual(["#1", "#2", "#3", "#4"]);
});

test("allows a burst after unused intervals, and then limits the rate again", async () => {
  const { clock, advanceTo } = manualClock();
  const begunAt: number[] = [];
  const pace = { intervalMs: 10, burst: 3, clock };
  const batcher = new Batcher(
    async (items: readonly number[]) => {
      begunAt.push(clock.now());
      return items;
    },
    { pace },
  );
  const addAt = async (timeMs: number) => {
    await advanceTo(timeMs);
    void batcher.add(timeMs);
    await settled();
  };
  // A hundred unused intervals allow no more than the burst of three.
  for (const timeMs of [1_000, 1_001, 1_002, 1_003]) await addAt(timeMs);
  for (let timeMs = 1_004; timeMs < 1_100; timeMs++) await addAt(timeMs);
  await advanceTo(1_100);
  for (let timeMs = 2_000; timeMs < 2_030; timeMs++) await addAt(timeMs);
  const paced = [1_010, 1_020, 1_030, 1_040, 1_050, 1_060, 1_070, 1_080, 1_090, 1_100];
  expect(begunAt).toEqual([1_000, 1_001, 1_002, ...paced, 2_000, 2_001, 2_002, 2_010, 2_020]);
});

test("waits longer after a large batch, so that a constant load fills fewer, larger batches", async () => {
  const { clock, advanceTo } = manualClock();
  const sizes: number[] = [];
  const run = async (items: readonly number[]) => {
    sizes.push(items.length);
    return items;
  };
  const batcher = new Batcher(run, {
    pace: { intervalMs: 8, intervalPerItemMs: 4, intervalMaxMs: 32, burst: 1, clock },
  });
  // One item every two milliseconds is twice the rate that an interval of four milliseconds per item allows, so the
  // batches grow until the interval has reached its maximum.
  for (let timeMs = 2; timeMs <= 200; timeMs += 2) {
    await advanceTo(timeMs);
    void batcher.add(timeMs);
    await settled();
  }
  expect(sizes.slice(0, 5)).toEqual([1, 3, 6, 12, 16]);
});

test("starts the next batch when a slow batch reaches its time limit, but lets the slow batch finish", async () => {
  const { calls, run, begun } = heldBatches();
  const sleeps: { ms: number; end: () => void }[] = [];
  const clock = {
    sleep: (ms: number) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      sleeps.push({ ms, end: resolve });
      return promise;
    },
  };
  const batcher = new Batcher(run, { slot: { limitMs: 20, clock } });
  const slow = batcher.add(1);
  await begun([1]);
  const next = batcher.add(2);
  await settled();
  await begun([1]);
  expect(sleeps.map(({ ms }) => ms)).toEqual([20]);
  sleeps[0]?.end();
  await begun([1], [2]);
  for (const { answer } of calls) answer();
  expect(await Promise.all([slow, next])).toEqual(["#1", "#2"]);
});
