import { expect, test } from "vitest";
import { RecentMap } from "./recent-map.ts";

test("what was not asked for the longest goes first", () => {
  const map = new RecentMap<number>(3);
  for (const [index, key] of ["a", "b", "c"].entries()) map.set(key, index);
  expect(map.get("a")).toBe(0);
  map.set("b", 7);
  map.set("d", 3);
  expect(["a", "b", "c", "d"].map((key) => map.get(key))).toEqual([0, 7, undefined, 3]);
  expect(map.size).toBe(3);
});

test("what is deleted is gone, and makes room", () => {
  const map = new RecentMap<number>(1);
  map.set("a", 1);
  map.delete("a");
  expect([map.get("a"), map.size]).toEqual([undefined, 0]);
});
