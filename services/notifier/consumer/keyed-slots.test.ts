import { expect, test } from "vitest";
import { KeyedSlots } from "./keyed-slots.ts";

test("a key has so many slots, others wait for theirs in order, and keys do not wait for each other", async () => {
  const slots = new KeyedSlots(2);
  const first = await slots.acquire("a");
  await slots.acquire("a");
  const got: string[] = [];
  const third = slots.acquire("a").then((release) => {
    got.push("third");
    return release;
  });
  slots.acquire("a").then(() => got.push("fourth"));
  expect(await slots.acquire("b")).toBeTypeOf("function");
  expect(got).toEqual([]);
  first?.();
  first?.();
  (await third)?.();
  await new Promise(setImmediate);
  expect(got).toEqual(["third", "fourth"]);
});

test("closing sends away who waits and who comes", async () => {
  const slots = new KeyedSlots(1);
  const release = await slots.acquire("a");
  const waiting = slots.acquire("a");
  slots.close();
  expect(await waiting).toBeUndefined();
  expect(await slots.acquire("b")).toBeUndefined();
  release?.();
  expect(slots.size).toBe(0);
});

test("without waiting there is a slot or none", async () => {
  const slots = new KeyedSlots(1);
  const release = slots.tryAcquire("a");
  expect(release).toBeTypeOf("function");
  expect(slots.tryAcquire("a")).toBeUndefined();
  release?.();
  expect(slots.size).toBe(0);
  slots.close();
  expect(slots.tryAcquire("a")).toBeUndefined();
});
