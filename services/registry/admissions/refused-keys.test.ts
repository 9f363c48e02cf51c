import { expect, test } from "vitest";
import { RefusedKeys } from "./refused-keys.ts";

const [one, other] = [Buffer.from("one"), Buffer.from("other")];

function keysAt(keysMax = 100) {
  const clock = { nowMs: 5 };
  return { clock, keys: new RefusedKeys({ clock: { now: () => clock.nowMs }, keysMax }) };
}

test("reports only the noted key as refused, and only for the noted time", () => {
  const { clock, keys } = keysAt();
  keys.note(one, 100);
  expect([keys.has(one), keys.has(other)]).toEqual([true, false]);
  clock.nowMs = 104.9;
  expect(keys.has(one)).toBe(true);
  clock.nowMs = 105.1;
  expect(keys.has(one)).toBe(false);
});

test("replaces an earlier decision with a later one", () => {
  const { clock, keys } = keysAt();
  keys.note(one, 100);
  keys.note(one, 200);
  clock.nowMs = 150;
  expect(keys.has(one)).toBe(true);
  keys.note(one, 10);
  clock.nowMs = 160.1;
  expect(keys.has(one)).toBe(false);
  keys.note(one, 100);
  keys.note(one, 0);
  expect(keys.has(one)).toBe(false);
});

test("compares keys by their bytes", () => {
  const { keys } = keysAt();
  keys.note(new Uint8Array([1, 2, 3]).subarray(1), 100);
  expect(keys.has(Buffer.from([2, 3]))).toBe(true);
});

test("evicts the least recently used key", () => {
  const { keys } = keysAt(2);
  const third = Buffer.from("third");
  keys.note(one, 100);
  keys.note(other, 100);
  keys.has(one);
  keys.note(third, 100);
  expect([one, other, third].map((key) => keys.has(key))).toEqual([true, false, true]);
});
