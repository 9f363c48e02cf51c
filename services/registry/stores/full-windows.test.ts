import { expect, test } from "vitest";
import { FullWindows } from "./full-windows.ts";

const [one, other] = [Buffer.from("one"), Buffer.from("other")];

function windowsAt(keysMax = 100) {
  const clock = { nowMs: 5 };
  return { clock, windows: new FullWindows({ nowMs: () => clock.nowMs, keysMax }) };
}

test("reports a window as full for the noted time and only for the noted key", () => {
  const { clock, windows } = windowsAt();
  windows.note(one, 100);
  expect([windows.has(one), windows.has(other)]).toEqual([true, false]);
  clock.nowMs = 104.9;
  expect(windows.has(one)).toBe(true);
  clock.nowMs = 105;
  expect(windows.has(one)).toBe(false);
});

test("replaces an earlier decision with a later one", () => {
  const { clock, windows } = windowsAt();
  windows.note(one, 100);
  windows.note(one, 200);
  clock.nowMs = 150;
  expect(windows.has(one)).toBe(true);
  windows.note(one, 10);
  clock.nowMs = 160;
  expect(windows.has(one)).toBe(false);
  windows.note(one, 100);
  windows.note(one, 0);
  expect(windows.has(one)).toBe(false);
});

test("compares keys by their bytes", () => {
  const { windows } = windowsAt();
  windows.note(new Uint8Array([1, 2, 3]).subarray(1), 100);
  expect(windows.has(Buffer.from([2, 3]))).toBe(true);
});

test("evicts the least recently used key", () => {
  const { windows } = windowsAt(2);
  const third = Buffer.from("third");
  windows.note(one, 100);
  windows.note(other, 100);
  windows.has(one);
  windows.note(third, 100);
  expect([one, other, third].map((key) => windows.has(key))).toEqual([true, false, true]);
});
