import { expect, onTestFinished, test, vi } from "vitest";
import { PassingClock } from "../time/passing-clock-fixture.ts";
import { RetryQueue } from "./retry-queue.ts";

/** Starts a queue on a simulated clock. `isDone` decides whether an attempt at an item succeeds. */
function startQueue(isDone: (item: string, attempt: number) => boolean, { itemsMax = 100, lifeMs = 10_000 } = {}) {
  const clock = new PassingClock();
  const attempts: { readonly atMs: number; readonly items: readonly string[] }[] = [];
  const dropped: string[] = [];
  const queue = new RetryQueue<string>({
    clock,
    attempt: async (items) => {
      attempts.push({ atMs: clock.now(), items });
      const triesOf = (item: string) => attempts.filter((other) => other.items.includes(item)).length;
      return items.filter((item) => !isDone(item, triesOf(item)));
    },
    onDropped: (items) => dropped.push(...items),
    lifeMs,
    itemsMax,
  });
  onTestFinished(() => queue.stop());
  const drained = async () => {
    while (queue.size > 0) await new Promise(setImmediate);
  };
  return { queue, attempts, dropped, drained };
}

test("tries an item immediately, then retries it with exponential backoff until it is done", async () => {
  // Without jitter.
  vi.spyOn(Math, "random").mockReturnValue(0);
  onTestFinished(() => void vi.restoreAllMocks());
  const { queue, attempts, dropped, drained } = startQueue((_item, attempt) => attempt === 4);
  queue.add("a");
  await drained();
  expect(attempts.map(({ atMs }) => atMs)).toEqual([0, 500, 1_500, 3_500]);
  expect(dropped).toEqual([]);
});

test("tries all due items together, and retries only unfinished items", async () => {
  const { queue, attempts, drained } = startQueue((item, attempt) => item !== "b" || attempt === 2);
  for (const item of ["a", "b", "c"]) queue.add(item);
  await drained();
  expect(attempts.map(({ items }) => [...items])).toEqual([["a", "b", "c"], ["b"]]);
});

test("retries items together that failed together, whatever the jitter", async () => {
  const random = vi.spyOn(Math, "random");
  for (const drawn of [0.1, 0.9, 0.5]) random.mockReturnValueOnce(drawn);
  onTestFinished(() => void vi.restoreAllMocks());
  const { queue, attempts, drained } = startQueue((_item, attempt) => attempt === 2);
  for (const item of ["a", "b", "c"]) queue.add(item);
  await drained();
  expect(attempts.map(({ items }) => [...items])).toEqual([
    ["a", "b", "c"],
    ["a", "b", "c"],
  ]);
});

test("drops and reports an item that would be retried after the end of its lifetime", async () => {
  const { queue, attempts, dropped, drained } = startQueue(() => false, { lifeMs: 2_000 });
  queue.add("a");
  await drained();
  expect([attempts.length, dropped]).toEqual([3, ["a"]]);
});

test("drops items that are added to a full queue", async () => {
  const { queue, dropped } = startQueue((_item, attempt) => attempt === 2, { itemsMax: 2 });
  for (const item of ["a", "b", "c"]) queue.add(item);
  expect([queue.size, dropped]).toEqual([2, ["c"]]);
});

test("drops and reports the remaining items when stopping takes longer than five seconds", async () => {
  const dropped: string[] = [];
  const sleeping: { readonly durationMs: number; readonly wake: () => void }[] = [];
  const queue = new RetryQueue<string>({
    clock: { now: () => 0, sleep: (durationMs) => new Promise((wake) => sleeping.push({ durationMs, wake })) },
    attempt: (_items, signal) => new Promise((_resolve, reject) => signal.addEventListener("abort", reject)),
    onDropped: (items) => dropped.push(...items),
    lifeMs: 60_000,
    batchMax: 1,
  });
  for (const item of ["a", "b", "c"]) queue.add(item);
  const stopped = queue.stop();
  expect(sleeping.map(({ durationMs }) => durationMs)).toEqual([5_000]);
  sleeping[0]?.wake();
  await stopped;
  expect([...dropped].sort()).toEqual(["a", "b", "c"]);
});

test("tries every item once more when the queue stops, and drops items that are added later", async () => {
  const { queue, attempts, dropped } = startQueue((_item, attempt) => attempt === 2);
  queue.add("a");
  await new Promise(setImmediate);
  await queue.stop();
  expect([attempts.length, dropped]).toEqual([2, []]);
  queue.add("b");
  expect([attempts.length, dropped]).toEqual([2, ["b"]]);
});
