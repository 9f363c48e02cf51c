import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { authenticate, parseOperators } from "./operators.ts";

const hash = createHash("sha256").update("secret").digest("hex");
const operators = parseOperators(JSON.stringify([{ actor: "ada", token_sha256: hash, rights: ["inspect"] }]));

test("an operator is known by the token alone, whatever the scheme's case", () => {
  expect(authenticate(operators, "Bearer secret", "inspect")).toBe("ada");
  expect(authenticate(operators, "bearer  secret", "inspect")).toBe("ada");
});

test.each([
  [null],
  [""],
  ["secret"],
  ["Basic secret"],
  ["Bearer"],
  ["Bearer secret more"],
  ["Bearer Secret"],
])("%s is refused", (authorization) => {
  expect(() => authenticate(operators, authorization, "inspect")).toThrow(/token/);
});

test("a token without the right is refused with the right's name", () => {
  expect(() => authenticate(operators, "Bearer secret", "administer")).toThrow("administer");
});

test.each([
  ["[{}]", /actor/],
  [JSON.stringify([{ actor: "a", token_sha256: "abc", rights: ["inspect"] }]), /token_sha256/],
  [JSON.stringify([{ actor: "a", token_sha256: hash, rights: ["everything"] }]), /rights/],
  [JSON.stringify([{ actor: "a", token_sha256: hash, rights: ["inspect"], token: "x" }]), /token/],
])("a file that cannot be used is refused by what is wrong: %s", (text, message) => {
  expect(() => parseOperators(text)).toThrow(message);
});
