import { expect, test } from "vitest";
import type { Clock } from "../time/clock.ts";
import { Batcher } from "./batcher.ts";

/** A call that is out, to be answered by the test. */
function heldCalls() {
  const calls: { items: readonly number[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const run = (items: readonly number[]) =>
    new Promise<string[]>((resolve, reject) => {
      calls.push({ items, answer: () => resolve(items.map((item) => `#${item}`)), fail: reject });
    });
  return { calls, run };
}

const turn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

test("what is added while a batch is out goes together in the next one, and everyone gets their own answer", async () => {
  const { calls, run } = heldCalls();
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

test("what is added in one turn of the event loop goes in one batch", async () => {
  const { calls, run } = heldCalls();
  const batcher = new Batcher(run);
  const all = [1, 2].map((item) => batcher.add(item));
  await Promise.resolve();
  all.push(batcher.add(3));
  await turn();
  expect(calls.map(({ items }) => items)).toEqual([[1, 2, 3]]);
  calls[0]?.answer();
  await Promise.all(all);
});

test("a batch is never larger than its limit, and only one is out at a time", async () => {
  const sizes: number[] = [];
  let out = 0;
  const batcher = new Batcher(async (items: readonly number[]) => {
    expect(++out).toBe(1);
    sizes.push(items.length);
    await turn();
    out--;
    return items;
  });
  const items = Array.from({ length: 1_201 }, (_, index) => index);
  expect(await Promise.all(items.map((item) => batcher.add(item)))).toEqual(items);
  expect(sizes).toEqual([500, 500, 201]);
});

test("as many batches are out at the same time as may be, and no more", async () => {
  const { calls, run } = heldCalls();
  const batcher = new Batcher(run, { outMax: 2 });
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

test("a batch that fails fails for its own items alone", async () => {
  const { calls, run } = heldCalls();
  const batcher = new Batcher(run, { batchMax: 2 });
  const all = [1, 2, 3].map((item) => batcher.add(item));
  const settled = Promise.allSettled(all);
  await turn();
  calls[0]?.fail(new Error("away"));
  await turn();
  calls[1]?.answer();
  expect(await settled).toMatchObject([
    { status: "rejected", reason: { message: "away" } },
    { status: "rejected", reason: { message: "away" } },
    { status: "fulfilled", value: "#3" },
  ]);
});

test("answers that do not fit the items, or an error thrown at once, fail the batch and not the batcher", async () => {
  let calls = 0;
  const batcher = new Batcher((items: readonly number[]) => {
    calls++;
    if (calls === 1) throw new Error("at once");
    return Promise.resolve(calls === 2 ? [] : items);
  });
  await expect(batcher.add(1)).rejects.toThrow("at once");
  await expect(batcher.add(2)).rejects.toThrow("another number");
  expect(await batcher.add(3)).toBe(3);
});

/** A clock that stands still until the test moves it. */
function heldClock() {
  let nowMs = 0;
  const sleeps: { readonly untilMs: number; readonly wake: () => void }[] = [];
  const clock: Clock = {
    now: () => nowMs,
    sleep: (durationMs) => new Promise((wake) => void sleeps.push({ untilMs: nowMs + durationMs, wake })),
  };
  const passUntil = async (timeMs: number) => {
    nowMs = timeMs;
    for (const { untilMs, wake } of sleeps) if (untilMs <= nowMs) wake();
    await turn();
  };
  return { clock, passUntil };
}

test("a batch begins no sooner than the interval after the one before, and at once when that is over", async () => {
  const { clock, passUntil } = heldClock();
  const { calls, run } = heldCalls();
  const batcher = new Batcher(run, { pace: { intervalMs: 20, burst: 1, clock } });
  const all = [batcher.add(1)];
  await turn();
  calls[0]?.answer();
  await passUntil(10);
  all.push(batcher.add(2));
  await passUntil(19);
  all.push(batcher.add(3));
  await turn();
  expect(calls.map(({ items }) => items)).toEqual([[1]]);
  await passUntil(20);
  expect(calls.map(({ items }) => items)).toEqual([[1], [2, 3]]);
  await passUntil(60);
  // It is still out.
  all.push(batcher.add(4));
  await turn();
  expect(calls).toHaveLength(2);
  calls[1]?.answer();
  await turn();
  expect(calls.map(({ items }) => items)).toEqual([[1], [2, 3], [4]]);
  calls[2]?.answer();
  expect(await Promise.all(all)).toEqual(["#1", "#2", "#3", "#4"]);
});

test("what was not used of the pace is saved up for a burst, and the pace holds after it", async () => {
  const { clock, passUntil } = heldClock();
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
    await passUntil(timeMs);
    void batcher.add(timeMs);
    await turn();
  };
  // Three intervals save up three batches, and a hundred no more than three.
  for (const timeMs of [1_000, 1_001, 1_002, 1_003]) await addAt(timeMs);
  for (let timeMs = 1_004; timeMs < 1_100; timeMs++) await addAt(timeMs);
  await passUntil(1_100);
  for (let timeMs = 2_000; timeMs < 2_030; timeMs++) await addAt(timeMs);
  const busy = [1_010, 1_020, 1_030, 1_040, 1_050, 1_060, 1_070, 1_080, 1_090, 1_100];
  expect(begunAt).toEqual([1_000, 1_001, 1_002, ...busy, 2_000, 2_001, 2_002, 2_010, 2_020]);
});
