import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { authenticate, parseOperators } from "./operators.ts";

const hash = createHash("sha256").update("secret").digest("hex");
const operators = parseOperators(JSON.stringify([{ actor: "ada", token_sha256: hash, rights: ["inspect"] }]));

test("returns the actor of a known token, whatever the case of the scheme", () => {
  expect(authenticate(operators, "Bearer secret", "inspect")).toBe("ada");
  expect(authenticate(operators, "bearer  secret", "inspect")).toBe("ada");
});

test.each([[null], [""], ["secret"], ["Basic secret"], ["Bearer"], ["Bearer secret more"], ["Bearer Secret"]])(
  "rejects the Authorization header %s",
  (authorization) => {
    expect(() => authenticate(operators, authorization, "inspect")).toThrow(/token/);
  },
);

test("rejects a token that lacks the required right, naming the right", () => {
  expect(() => authenticate(operators, "Bearer secret", "administer")).toThrow("administer");
});

test.each([
  ["[{}]", /actor/],
  [JSON.stringify([{ actor: "a", token_sha256: "abc", rights: ["inspect"] }]), /token_sha256/],
  [JSON.stringify([{ actor: "a", token_sha256: hash, rights: ["everything"] }]), /rights/],
  [JSON.stringify([{ actor: "a", token_sha256: hash, rights: ["inspect"], token: "x" }]), /token/],
])("rejects an invalid operators file, naming the field: %s", (text, message) => {
  expect(() => parseOperators(text)).toThrow(message);
});
