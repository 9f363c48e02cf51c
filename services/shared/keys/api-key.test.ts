import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { generateApiKey, hashApiKey, parseApiKey } from "./api-key.ts";

const base62 = [..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"];

describe("an API key", () => {
  test("is crk_ and 38 base62 characters", () => {
    expect(generateApiKey()).toMatch(/^crk_[0-9A-Za-z]{38}$/);
  });

  test("is a new one each time, with every character in use", () => {
    const keys = Array.from({ length: 500 }, generateApiKey);
    expect(new Set(keys).size).toBe(500);
    expect(new Set(keys.flatMap((key) => [...key.slice(4, 36)])).size).toBe(62);
  });

  test("is recognised as it was made", () => {
    for (let round = 0; round < 200; round++) {
      const key = generateApiKey();
      expect(parseApiKey(key)).toBe(key);
    }
  });

  test("keeps its format for ever: a key of the first release is still one", () => {
    expect(parseApiKey("crk_000000000000000000000000000000001HXV13")).toBeDefined();
    expect(parseApiKey("crk_7Qm2Zx9LkP4vTn8RbW3cYd6FhJ1sGa5E1BYktK")).toBeDefined();
  });

  test("is refused when any one character is another one", () => {
    const anyChange = fc.tuple(fc.nat({ max: 37 }), fc.constantFrom(...base62));
    fc.assert(
      fc.property(anyChange, ([place, character]) => {
        const key = generateApiKey();
        const at = 4 + place;
        fc.pre(key.charAt(at) !== character);
        expect(parseApiKey(key.slice(0, at) + character + key.slice(at + 1))).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ["nothing", ""],
    ["the prefix alone", "crk_"],
    ["a key cut short", "crk_0000000000000000000000000000000017"],
    ["a key with more behind it", "crk_000000000000000000000000000000001HXV130"],
    ["a line break behind it", "crk_000000000000000000000000000000001HXV13\n"],
    ["a space before it", " crk_000000000000000000000000000000001HXV13"],
    ["another prefix", "srk_000000000000000000000000000000001HXV13"],
    ["the prefix in capitals", "CRK_000000000000000000000000000000001HXV13"],
    ["a wrong checksum", "crk_00000000000000000000000000000000000000"],
    ["characters outside base62", `crk_${"é".repeat(38)}`],
  ])("is not %s", (_name, text) => {
    expect(parseApiKey(text)).toBeUndefined();
  });

  test("never makes the check fail on any text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => parseApiKey(text) === undefined));
  });

  test("is stood for by the SHA-256 of its characters", () => {
    const key = generateApiKey();
    expect(Buffer.from(hashApiKey(key))).toEqual(createHash("sha256").update(key).digest());
    expect(hashApiKey(key)).toHaveLength(32);
  });
});
