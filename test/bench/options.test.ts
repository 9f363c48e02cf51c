import { expect, test } from "vitest";
import { benchCommand, partNames } from "./options.ts";

test("measures every part by default", () => {
  expect(benchCommand.parse([])?.parts).toEqual(partNames);
});

test("runs parts in their fixed order, regardless of the order in --only", () => {
  const options = benchCommand.parse(["--only", "webhooks,changes", "--seconds", "0.5"]);
  expect(options).toMatchObject({ parts: ["changes", "webhooks"], roundMs: 500 });
});

test.each([
  [["--only", "speed"], 'no part "speed"'],
  [["--seconds", "0"], "--seconds 0"],
  [["--rounds", "-1"], "--rounds"],
  [["--rounds", "1.5"], "--rounds 1.5"],
  [["--stores", "many"], "--stores many"],
  [["--fast"], "--fast"],
  [["--record", "--tls"], "--tls and --record"],
  [["--record", "--share-stacks"], "--share-stacks and --record"],
])("rejects %j", (args, message) => {
  expect(() => benchCommand.parse(args)).toThrow(message);
});

test("describes the options and their defaults", () => {
  expect(benchCommand.parse(["--help"])).toBeUndefined();
  expect(benchCommand.usage).toMatch(/--seconds <n> +length of a round \(default 2\)/);
  expect(benchCommand.usage).toMatch(/--no-build +does not build/);
});
