import { expect, test } from "vitest";
import { Semaphore } from "./semaphore.ts";

const { signal } = new AbortController();

test("acquires no more slots than requested, and no more than are free", async () => {
  const semaphore = new Semaphore(5);
  expect(await semaphore.acquire(3, signal)).toBe(3);
  expect(await semaphore.acquire(3, signal)).toBe(2);
  expect(semaphore.free).toBe(0);
});

test("serves waiters in FIFO order as slots are released", async () => {
  const semaphore = new Semaphore(1);
  await semaphore.acquire(1, signal);
  const acquired: string[] = [];
  const first = semaphore.acquire(4, signal).then((count) => acquired.push(`first ${count}`));
  const second = semaphore.acquire(4, signal).then((count) => acquired.push(`second ${count}`));
  semaphore.release(1);
  await first;
  expect(acquired).toEqual(["first 1"]);
  semaphore.release(3);
  await second;
  expect(acquired).toEqual(["first 1", "second 3"]);
});

test("recovers a force-acquired slot before serving a waiter", async () => {
  const semaphore = new Semaphore(1);
  await semaphore.acquire(1, signal);
  semaphore.forceAcquire();
  let acquired = 0;
  const waiting = semaphore.acquire(1, signal).then((count) => {
    acquired = count;
  });
  semaphore.release(1);
  await new Promise(setImmediate);
  expect(acquired).toBe(0);
  semaphore.release(1);
  await waiting;
  expect(acquired).toBe(1);
});

test("returns 0 and leaks no slot when the signal aborts", async () => {
  const semaphore = new Semaphore(1);
  await semaphore.acquire(1, signal);
  const controller = new AbortController();
  const waiting = semaphore.acquire(1, controller.signal);
  controller.abort();
  expect(await waiting).toBe(0);
  expect(await semaphore.acquire(1, controller.signal)).toBe(0);
  semaphore.release(1);
  expect(semaphore.free).toBe(1);
});
