import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { KeyedQueue } from "./keyed-queue.ts";

test("jobs of one key run one after the other in their order, whatever they take", async () => {
  const queue = new KeyedQueue();
  const log: string[] = [];
  const job = (name: string, ms: number) =>
    queue.run("key", async () => {
      log.push(`${name} begins`);
      await delay(ms);
      log.push(`${name} ends`);
      return name;
    });
  expect(await Promise.all([job("a", 20), job("b", 1), job("c", 5)])).toEqual(["a", "b", "c"]);
  expect(log).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});

test("jobs of different keys run side by side", async () => {
  const queue = new KeyedQueue();
  const { promise, resolve } = Promise.withResolvers<string>();
  const first = queue.run("a", () => promise);
  expect(await queue.run("b", async () => "second")).toBe("second");
  resolve("first");
  expect(await first).toBe("first");
});

test("a job that fails does not stop those behind it", async () => {
  const queue = new KeyedQueue();
  const failing = queue.run("key", () => Promise.reject(new Error("no")));
  const next = queue.run("key", async () => "next");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("next");
});

test("a key is forgotten when its last job has ended", async () => {
  const queue = new KeyedQueue();
  await Promise.allSettled([
    queue.run("a", async () => 1),
    queue.run("a", async () => 2),
    queue.run("b", () => Promise.reject(new Error("no"))),
  ]);
  await delay(0);
  expect(queue.size).toBe(0);
});
