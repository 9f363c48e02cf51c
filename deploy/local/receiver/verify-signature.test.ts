import { expect, test } from "vitest";
import { isSignedBy } from "./verify-signature.ts";

const body = Buffer.from('{"version":2}');
// printf '{"version":2}' | openssl dgst -sha256 -hmac 'a secret'
const signature = "sha256=6e7650c7263b3119d96534189b0fcd920b73fc96074e24fbc4b9333b2180d7c5";

test("the signature that OpenSSL computes over the same bytes is accepted", () => {
  expect(isSignedBy("a secret", signature, body)).toBe(true);
});

test.each([
  ["no header", undefined],
  ["an empty header", ""],
  ["another digest", `sha256=${"0".repeat(64)}`],
  ["capitals", signature.toUpperCase()],
  ["no prefix", signature.slice("sha256=".length)],
  ["one character more", `${signature}0`],
  ["characters outside ASCII", `sha256=${"é".repeat(32)}`],
])("%s is refused", (_name, header) => {
  expect(isSignedBy("a secret", header, body)).toBe(false);
});

test("one changed byte of the body, another secret or none are refused", () => {
  expect(isSignedBy("a secret", signature, Buffer.from('{"version":3}'))).toBe(false);
  expect(isSignedBy("a secret", signature, Buffer.from('{"version": 2}'))).toBe(false);
  expect(isSignedBy("another secret", signature, body)).toBe(false);
  expect(isSignedBy("", signature, body)).toBe(false);
});
