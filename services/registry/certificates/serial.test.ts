import { describe, expect, test } from "vitest";
import { formatSerial, parseSerial } from "./serial.ts";

describe("serial number", () => {
  test.each([
    [1, "000001"],
    [999_999, "999999"],
    [1_000_000, "1000000"],
    [Number.MAX_SAFE_INTEGER, "9007199254740991"],
  ])("%i is formatted as %s and parsed back", (serial, digits) => {
    expect(formatSerial(serial)).toBe(digits);
    expect(parseSerial(digits)).toBe(serial);
  });

  test.each([
    ["1", 1],
    ["01", 1],
    [`${"0".repeat(1_000)}42`, 42],
  ])("%s is parsed as %i", (digits, serial) => {
    expect(parseSerial(digits)).toBe(serial);
  });

  test.each([
    "",
    "0",
    "000000",
    "-1",
    "+1",
    "1.0",
    "1e3",
    "0x1f",
    " 1",
    "1\n",
    "１",
    "9007199254740992",
    "9".repeat(400),
  ])("%j is rejected", (digits) => {
    expect(parseSerial(digits)).toBeUndefined();
  });
});
