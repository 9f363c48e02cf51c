import { expect, test } from "vitest";
import { Semaphore } from "./semaphore.ts";

const { signal } = new AbortController();

test("one gets what is free, at most what one wants", async () => {
  const pool = new Semaphore(5);
  expect(await pool.reserve(3, signal)).toBe(3);
  expect(await pool.reserve(3, signal)).toBe(2);
  expect(pool.free).toBe(0);
});

test("who finds none waits in order and begins with what comes free", async () => {
  const pool = new Semaphore(1);
  await pool.reserve(1, signal);
  const got: string[] = [];
  const first = pool.reserve(4, signal).then((count) => got.push(`first ${count}`));
  const second = pool.reserve(4, signal).then((count) => got.push(`second ${count}`));
  pool.release(1);
  await first;
  expect(got).toEqual(["first 1"]);
  pool.release(3);
  await second;
  expect(got).toEqual(["first 1", "second 3"]);
});

test("an overdrawn slot is paid back before anyone gets one", async () => {
  const pool = new Semaphore(1);
  await pool.reserve(1, signal);
  pool.forceAcquire();
  let got = 0;
  const waiting = pool.reserve(1, signal).then((count) => {
    got = count;
  });
  pool.release(1);
  await new Promise(setImmediate);
  expect(got).toBe(0);
  pool.release(1);
  await waiting;
  expect(got).toBe(1);
});

test("a signal that aborts sends away with none, and nothing is lost", async () => {
  const pool = new Semaphore(1);
  await pool.reserve(1, signal);
  const abort = new AbortController();
  const waiting = pool.reserve(1, abort.signal);
  abort.abort();
  expect(await waiting).toBe(0);
  expect(await pool.reserve(1, abort.signal)).toBe(0);
  pool.release(1);
  expect(pool.free).toBe(1);
});
