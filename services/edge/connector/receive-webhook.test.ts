import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { isSignedBy } from "./receive-webhook.ts";

const [current, next] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const body = Buffer.from('{"id":1}');
const sign = (secret: Uint8Array, bytes = body) => createHmac("sha256", secret).update(bytes).digest("base64");

describe("isSignedBy", () => {
  test.each([
    ["the secret", sign(current)],
    ["another secret, while the secret is being replaced", sign(next)],
  ])("accepts a signature made with %s", (_name, signature) => {
    expect(isSignedBy([current, next], body, signature)).toBe(true);
  });

  test.each([
    ["for another body", sign(current, Buffer.from('{"id":2}'))],
    ["made with an unknown secret", sign(Buffer.alloc(32, 3))],
    ["in hexadecimal", createHmac("sha256", current).update(body).digest("hex")],
    ["with a line break", `${sign(current)}\n`],
    ["in the URL-safe alphabet", sign(current).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")],
    ["that is truncated", sign(current).slice(0, -4)],
    ["that is empty", ""],
  ])("refuses a signature %s", (_name, signature) => {
    expect(isSignedBy([current, next], body, signature)).toBe(false);
  });

  test("refuses every signature if there is no secret", () => {
    expect(isSignedBy([], body, sign(current))).toBe(false);
  });
});
