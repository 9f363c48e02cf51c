import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { generateApiKey, hashApiKey, parseApiKey } from "./api-key.ts";

const base62 = [..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"];

describe("an API key", () => {
  test("consists of crk_ and 38 base62 characters", () => {
    expect(generateApiKey()).toMatch(/^crk_[0-9A-Za-z]{38}$/);
  });

  test("is unique, and can contain any base62 character", () => {
    const keys = Array.from({ length: 500 }, generateApiKey);
    expect(new Set(keys).size).toBe(500);
    expect(new Set(keys.flatMap((key) => [...key.slice(4, 36)])).size).toBe(62);
  });

  test("is accepted by parseApiKey", () => {
    for (let round = 0; round < 200; round++) {
      const key = generateApiKey();
      expect(parseApiKey(key)).toBe(key);
    }
  });

  test("from the first release remains valid", () => {
    expect(parseApiKey("crk_000000000000000000000000000000001HXV13")).toBeDefined();
    expect(parseApiKey("crk_7Qm2Zx9LkP4vTn8RbW3cYd6FhJ1sGa5E1BYktK")).toBeDefined();
  });

  test("is rejected if any single character after the prefix is changed", () => {
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
    ["an empty string", ""],
    ["the prefix alone", "crk_"],
    ["a truncated key", "crk_0000000000000000000000000000000017"],
    ["a key with a suffix", "crk_000000000000000000000000000000001HXV130"],
    ["a key with a trailing line break", "crk_000000000000000000000000000000001HXV13\n"],
    ["a key with a leading space", " crk_000000000000000000000000000000001HXV13"],
    ["a key with another prefix", "srk_000000000000000000000000000000001HXV13"],
    ["a key with an upper-case prefix", "CRK_000000000000000000000000000000001HXV13"],
    ["a key with a wrong checksum", "crk_00000000000000000000000000000000000000"],
    ["a key with characters outside base62", `crk_${"é".repeat(38)}`],
  ])("cannot be parsed from %s", (_name, text) => {
    expect(parseApiKey(text)).toBeUndefined();
  });

  test("cannot be parsed from random text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => parseApiKey(text) === undefined));
  });

  test("is hashed with SHA-256", () => {
    const key = generateApiKey();
    expect(Buffer.from(hashApiKey(key))).toEqual(createHash("sha256").update(key).digest());
    expect(hashApiKey(key)).toHaveLength(32);
  });
});
