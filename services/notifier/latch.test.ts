import { expect, test } from "vitest";
import { Latch } from "./latch.ts";

test("releases waiters when it opens, and makes callers wait again after it closes", async () => {
  const latch = new Latch();
  const { signal } = new AbortController();
  const released: string[] = [];
  const first = latch.whenOpen(signal).then(() => released.push("first"));
  await new Promise(setImmediate);
  expect(released).toEqual([]);
  latch.open();
  await first;
  await latch.whenOpen(signal);
  latch.close();
  latch.whenOpen(signal).then(() => released.push("second"));
  await new Promise(setImmediate);
  expect(released).toEqual(["first"]);
});

test("releases a waiter whose signal aborts", async () => {
  const controller = new AbortController();
  const waiting = new Latch().whenOpen(controller.signal);
  controller.abort();
  await waiting;
  await new Latch().whenOpen(controller.signal);
});
