import { expect, test } from "vitest";
import { ServiceError } from "#shared/errors/service-error.ts";
import { limitPages, limitRendering } from "./limit-pages.ts";

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

test("networks that render much do not keep others from their first pages, and an overload costs no network tokens", () => {
  let now = 0;
  let shed = 0;
  const limit = limitRendering(20 * 100, { now: () => now, sleep: async () => undefined }, () => void shed++);
  const codesOf = (networks: readonly string[], pages: number) =>
    Array.from({ length: pages }, () => {
      try {
        limit(networks);
        return "rendered";
      } catch (error) {
        return error instanceof ServiceError ? error.code : error;
      }
    });
  // A hundred in total and ten for each network.
  expect(codesOf(["greedy"], 400)).toEqual([...Array(110).fill("rendered"), ...Array(290).fill("unavailable")]);
  expect(shed).toBe(290);
  expect(codesOf(["buyer"], 11)).toEqual([...Array(10).fill("rendered"), "unavailable"]);
  // The reserve of all networks is half of the total.
  for (const network of ["a", "b", "c"]) expect(codesOf([network], 10)).toEqual(Array(10).fill("rendered"));
  expect(codesOf(["d"], 1)).toEqual(["unavailable"]);
  now = 1_000;
  // 290 refusals have left the network its tokens.
  expect(codesOf(["greedy"], 100)).toEqual(Array(100).fill("rendered"));
  for (let second = 2; second < 12; second++) {
    now = 1_000 * second;
    codesOf(["greedy"], 100);
  }
  expect(codesOf(["greedy"], 1)).toEqual(["rate_limited"]);
});
