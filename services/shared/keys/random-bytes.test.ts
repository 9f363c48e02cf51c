import { expect, test } from "vitest";
import { randomBytesOf } from "./random-bytes.ts";

test("returns different bytes of the requested length each time, even when the pool is refilled", () => {
  const all = Array.from({ length: 2_000 }, () => randomBytesOf(16));
  expect(new Set(all.map((bytes) => bytes.length))).toEqual(new Set([16]));
  expect(new Set(all.map((bytes) => bytes.toString("hex"))).size).toBe(all.length);
  expect(randomBytesOf(4_096)).toHaveLength(4_096);
});
