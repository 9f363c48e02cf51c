import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { generateOperatorToken, isOperatorToken, operatorTokenHash } from "./operator-token.ts";

test("generates tokens with 32 random bytes", () => {
  const tokens = Array.from({ length: 100 }, generateOperatorToken);
  expect(new Set(tokens).size).toBe(100);
  for (const token of tokens) {
    expect(Buffer.from(token.replace("cop_", ""), "base64url")).toHaveLength(32);
    expect(isOperatorToken(token)).toBe(true);
  }
});

const encoded = (bytes: number) => randomBytes(bytes).toString("base64url");

test.each([
  ["an empty string", ""],
  ["one character", "x"],
  ["the prefix alone", "cop_"],
  ["31 bytes", `cop_${encoded(31)}`],
  ["33 bytes", `cop_${encoded(33)}`],
  ["another prefix", `crk_${encoded(32)}`],
  ["a character that is not Base64url", `cop_${encoded(32)}!`],
])("rejects %s", (_case, text) => {
  expect(isOperatorToken(text)).toBe(false);
});

test("returns the SHA-256 of a token in hexadecimal digits", () => {
  expect(operatorTokenHash("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});
