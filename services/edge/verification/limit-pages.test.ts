import { expect, test } from "vitest";
import { limitPages } from "./limit-pages.ts";

test("admits as many requests per second as configured, and counts the refused requests", () => {
  let now = 0;
  let shed = 0;
  const limit = limitPages(3, { now: () => now, sleep: async () => undefined }, () => void shed++);
  const outcomesOf = (requests: number) =>
    Array.from({ length: requests }, () => {
      try {
        limit();
        return "admitted";
      } catch (error) {
        return error;
      }
    });
  const busy = expect.objectContaining({ code: "unavailable" });
  expect(outcomesOf(5)).toEqual(["admitted", "admitted", "admitted", busy, busy]);
  now = 500;
  expect(outcomesOf(2)).toEqual(["admitted", busy]);
  now = 10_000;
  expect(outcomesOf(4)).toEqual(["admitted", "admitted", "admitted", busy]);
  expect(shed).toBe(4);
});
