import { expect, test } from "vitest";
import type { Clock } from "../time/clock.ts";
import { Batcher } from "./batcher.ts";

/** Batches in flight that the test completes. */
function controlledCalls() {
  const calls: { items: readonly number[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const run = (items: readonly number[]) =>
    new Promise<string[]>((resolve, reject) => {
      calls.push({ items, answer: () => resolve(items.map((item) => `#${item}`)), fail: reject });
    });
  return { calls, run };
}

const turn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

test("items added while a batch is in flight form the next batch, and each gets its own output", async () => {
  const { calls, run } = controlledCalls();
  const batcher = new Batcher(run);
  const first = batcher.add(1);
  await turn();
  const others = [2, 3, 4].map((item) => batcher.add(item));
  await turn();
  expect(calls.map(({ items }) => items)).toEqual([[1]]);
  calls[0]?.answer();
  expect(await first).toBe("#1");
  await turn();
  expect(calls.map(({ items }) => items)).toEqual([[1], [2, 3, 4]]);
  calls[1]?.answer();
  expect(await Promise.all(others)).toEqual(["#2", "#3", "#4"]);
});

test("items added in one turn of the event loop form one batch", async () => {
  const { calls, run } = controlledCalls();
  const batcher = new Batcher(run);
  const all = [1, 2].map((item) => batcher.add(item));
  await Promise.resolve();
  all.push(batcher.add(3));
  await turn();
  expect(calls.map(({ items }) => items)).toEqual([[1, 2, 3]]);
  calls[0]?.answer();
  await Promise.all(all);
});

test("batches respect the size limit, and one is in flight at a time by default", async () => {
  const sizes: number[] = [];
  let inFlight = 0;
  const batcher = new Batcher(async (items: readonly number[]) => {
    expect(++inFlight).toBe(1);
    sizes.push(items.length);
    await turn();
    inFlight--;
    return items;
  });
  const items = Array.from({ length: 1_201 }, (_, index) => index);
  expect(await Promise.all(items.map((item) => batcher.add(item)))).toEqual(items);
  expect(sizes).toEqual([500, 500, 201]);
});

test("the number of concurrent batches is limited", async () => {
  const { calls, run } = controlledCalls();
  const batcher = new Batcher(run, { concurrencyMax: 2 });
  const all: Promise<string>[] = [];
  for (const item of [1, 2, 3, 4]) {
    all.push(batcher.add(item));
    await turn();
  }
  expect(calls.map(({ items }) => items)).toEqual([[1], [2]]);
  calls[1]?.answer();
  expect(await all[1]).toBe("#2");
  await turn();
  expect(calls.map(({ items }) => items)).toEqual([[1], [2], [3, 4]]);
  calls[0]?.answer();
  calls[2]?.answer();
  expect(await Promise.all(all)).toEqual(["#1", "#2", "#3", "#4"]);
});

test("a failed batch rejects only its own items", async () => {
  const { calls, run } = controlledCalls();
  const batcher = new Batcher(run, { batchMax: 2 });
  const all = [1, 2, 3].map((item) => batcher.add(item));
  const settled = Promise.allSettled(all);
  await turn();
  calls[0]?.fail(new Error("unavailable"));
  await turn();
  calls[1]?.answer();
  expect(await settled).toMatchObject([
    { status: "rejected", reason: { message: "unavailable" } },
    { status: "rejected", reason: { message: "unavailable" } },
    { status: "fulfilled", value: "#3" },
  ]);
});

test("a synchronous error or a wrong number of outputs rejects the batch, and later batches succeed", async () => {
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

/** A clock that advances only when the test advances it. */
function manualClock() {
  let nowMs = 0;
  const sleeps: { readonly untilMs: number; readonly wake: () => void }[] = [];
  const clock: Clock = {
    now: () => nowMs,
    sleep: (durationMs) => new Promise((wake) => void sleeps.push({ untilMs: nowMs + durationMs, wake })),
  };
  const advanceTo = async (timeMs: number) => {
    nowMs = timeMs;
    for (const { untilMs, wake } of sleeps) if (untilMs <= nowMs) wake();
    await turn();
  };
  return { clock, advanceTo };
}

test("a batch starts an interval after the previous one, or immediately if the interval has passed", async () => {
  const { clock, advanceTo } = manualClock();
  const { calls, run } = controlledCalls();
  const batcher = new Batcher(run, { pace: { intervalMs: 20, burst: 1, clock } });
  const all = [batcher.add(1)];
  await turn();
  calls[0]?.answer();
  await advanceTo(10);
  all.push(batcher.add(2));
  await advanceTo(19);
  all.push(batcher.add(3));
  await turn();
  expect(calls.map(({ items }) => items)).toEqual([[1]]);
  await advanceTo(20);
  expect(calls.map(({ items }) => items)).toEqual([[1], [2, 3]]);
  await advanceTo(60);
  // The second batch is still in flight.
  all.push(batcher.add(4));
  await turn();
  expect(calls).toHaveLength(2);
  calls[1]?.answer();
  await turn();
  expect(calls.map(({ items }) => items)).toEqual([[1], [2, 3], [4]]);
  calls[2]?.answer();
  expect(await Promise.all(all)).toEqual(["#1", "#2", "#3", "#4"]);
});

test("unused intervals accumulate up to the burst, after which the pace applies again", async () => {
  const { clock, advanceTo } = manualClock();
  const startedAt: number[] = [];
  const pace = { intervalMs: 10, burst: 3, clock };
  const batcher = new Batcher(
    async (items: readonly number[]) => {
      startedAt.push(clock.now());
      return items;
    },
    { pace },
  );
  const addAt = async (timeMs: number) => {
    await advanceTo(timeMs);
    void batcher.add(timeMs);
    await turn();
  };
  // Three unused intervals allow a burst of three batches; a hundred allow no more.
  for (const timeMs of [1_000, 1_001, 1_002, 1_003]) await addAt(timeMs);
  for (let timeMs = 1_004; timeMs < 1_100; timeMs++) await addAt(timeMs);
  await advanceTo(1_100);
  for (let timeMs = 2_000; timeMs < 2_030; timeMs++) await addAt(timeMs);
  const busy = [1_010, 1_020, 1_030, 1_040, 1_050, 1_060, 1_070, 1_080, 1_090, 1_100];
  expect(startedAt).toEqual([1_000, 1_001, 1_002, ...busy, 2_000, 2_001, 2_002, 2_010, 2_020]);
});
