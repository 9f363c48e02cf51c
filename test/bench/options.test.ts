import { expect, test } from "vitest";
import { parseBenchOptions, partNames } from "./options.ts";

test("without arguments everything is measured", () => {
  expect(parseBenchOptions([]).parts).toEqual(partNames);
});

test("parts are measured in their own order, whatever the order of the names", () => {
  const { parts, roundMs } = parseBenchOptions(["--only", "webhooks,changes", "--seconds", "0.5"]);
  expect(parts).toEqual(["changes", "webhooks"]);
  expect(roundMs).toBe(500);
});

test.each([
  [["--only", "speed"], 'no part "speed"'],
  [["--seconds", "0"], "--seconds 0"],
  [["--rounds", "-1"], "--rounds"],
  [["--rounds", "1.5"], "--rounds 1.5"],
  [["--stores", "many"], "--stores many"],
  [["--fast"], "--fast"],
])("%j is refused", (args, words) => {
  expect(() => parseBenchOptions(args)).toThrow(words);
});
