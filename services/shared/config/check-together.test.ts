import { expect, test } from "vitest";
import { checkEach, checkTogether } from "./check-together.ts";
import { ConfigError } from "./config-error.ts";

const invalid = "The configuration is invalid.";
const refused = async (message: string) => {
  throw new ConfigError(message);
};

test("returns the results of all checks in their order", async () => {
  const checked: [number, string] = await checkTogether([Promise.resolve(1), Promise.resolve("two")]);
  expect(checked).toEqual([1, "two"]);
  expect(checkEach([1, 2], (item) => item * 2)).toEqual([2, 4]);
});

test("names the faults that all checks have found", async () => {
  const faults = [`${invalid} A is not set; B must be 1`, "C_FILE: /c cannot be read", "Set D."];
  const all = new ConfigError(`${invalid} A is not set; B must be 1; C_FILE: /c cannot be read; Set D`);
  await expect(checkTogether([...faults.map(refused), Promise.resolve(1)])).rejects.toThrow(all);
  const check = (message: string) => {
    throw new ConfigError(message);
  };
  expect(() => checkEach(faults, check)).toThrow(all);
});

test("leaves a single fault unchanged", async () => {
  const fault = new ConfigError("Set either A or B.");
  await expect(checkTogether([refused(fault.message), Promise.resolve(1)])).rejects.toThrow(fault);
});

test("throws any other error unchanged", async () => {
  const broken = new TypeError("broken");
  await expect(checkTogether([refused("A"), Promise.reject(broken)])).rejects.toBe(broken);
});
