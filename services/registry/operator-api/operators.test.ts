import { expect, test } from "vitest";
import { generateOperatorToken, operatorTokenHash } from "#shared/operators/operator-token.ts";
import { authenticate, parseOperators } from "./operators.ts";

const token = generateOperatorToken();
const entryOf = (changes: object = {}) => ({
  actor: "ada",
  token_sha256: operatorTokenHash(token),
  rights: ["inspect"],
  stores: ["a.example"],
  ...changes,
});
const fileOf = (...entries: readonly object[]) => JSON.stringify(entries);

test("returns the operator of a known token, regardless of the letter case of the scheme", () => {
  const operators = parseOperators(fileOf(entryOf()));
  expect(authenticate(operators, `Bearer ${token}`)).toEqual(entryOf());
  expect(authenticate(operators, `bearer  ${token}`)).toEqual(entryOf());
});

test.each([
  [undefined],
  [""],
  [token],
  [`Basic ${token}`],
  ["Bearer"],
  [`Bearer ${token} more`],
  [`Bearer ${token.toUpperCase()}`],
  [`Bearer ${generateOperatorToken()}`],
])("rejects the Authorization header %s", (authorization) => {
  const operators = parseOperators(fileOf(entryOf()));
  expect(() => authenticate(operators, authorization)).toThrow(/token/);
});

test("never accepts a token that is not in the format of generated tokens, even if the file contains its hash", () => {
  const chosen = "correct horse battery staple".replaceAll(" ", "-");
  const operators = parseOperators(fileOf(entryOf({ token_sha256: operatorTokenHash(chosen) })));
  expect(() => authenticate(operators, `Bearer ${chosen}`)).toThrow("The token is unknown");
});

test("accepts several tokens for the same operator", () => {
  const next = generateOperatorToken();
  const operators = parseOperators(fileOf(entryOf(), entryOf({ token_sha256: operatorTokenHash(next) })));
  for (const one of [token, next]) expect(authenticate(operators, `Bearer ${one}`).actor).toBe("ada");
});

test.each([
  ["[{}]", /actor/],
  [fileOf(entryOf({ token_sha256: "abc" })), /token_sha256/],
  [fileOf(entryOf({ rights: ["everything"] })), /rights/],
  [fileOf(entryOf({ rights: [] })), /rights/],
  [fileOf(entryOf({ stores: undefined })), /stores/],
  [fileOf(entryOf({ stores: [] })), /stores/],
  [fileOf(entryOf({ stores: ["*.example"] })), /stores/],
  [fileOf(entryOf({ actor: "" })), /actor/],
  [fileOf(entryOf({ actor: "a\nb" })), /actor/],
  [fileOf(entryOf({ token: "x" })), /token/],
  [fileOf(entryOf(), entryOf({ actor: "ben" })), "has the same token in entry 2 as in an earlier entry"],
  ["{", "is not valid JSON"],
])("rejects an invalid operators' file, naming the field or the problem: %s", (text, message) => {
  expect(() => parseOperators(text)).toThrow(message);
});

test.each([[""], ["x"], ["no"], ["secret"]])("rejects a file with the hash of the weak token %j", (weak) => {
  expect(() => parseOperators(fileOf(entryOf(), entryOf({ token_sha256: operatorTokenHash(weak) })))).toThrow(
    "has a weak token in entry 2. Create a token with 'certctl operator create'",
  );
});
