import { describe, expect, test } from "vitest";
import { redactPath } from "./redact-path.ts";

describe("redactPath", () => {
  test.each([
    ["/v1/certificates", "/v1/certificates"],
    ["/v1/certificates/ada@example.com", "/v1/certificates/ada…"],
    ["/v1/certificates%3Femail=ada%40example.com", "/v1/certificates…"],
    ["/v1/crk_7Qm2Zx9LkP4vTn8RbW3cYd6FhJ1sGa5E1BYktK/x", "/v1/crk_…/x"],
    ["/a b", "/a…"],
    ["/*", "/…"],
    [`/${"a".repeat(500)}`, `/${"a".repeat(99)}…`],
  ])("converts %j to %j", (path, redacted) => {
    expect(redactPath(path)).toBe(redacted);
  });
});
