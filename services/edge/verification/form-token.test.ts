import { describe, expect, test } from "vitest";
import { FormTokens } from "./form-token.ts";

const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const tokens = new FormTokens([first]);
const at = Date.parse("2026-03-14T12:00:00Z");
const afterReading = at + 2_000;

describe("FormTokens accepts", () => {
  test("a form from two seconds to twelve hours after it was served", () => {
    const token = tokens.create("link", at);
    const stateAfter = (ms: number) => tokens.check("link", token, at + ms).state;
    const hours12 = 12 * 3_600_000;
    const states = [0, 1_999, 2_000, hours12, hours12 + 1].map(stateAfter);
    expect(states).toEqual(["early", "early", "valid", "valid", "refused"]);
  });

  test("no form from more than a minute ahead, which would stay early if the clock was set back by hours", () => {
    const token = tokens.create("link", at);
    const states = [1, 60_000, 60_001, 3_600_000].map((ms) => tokens.check("link", token, at - ms).state);
    expect(states).toEqual(["early", "early", "refused", "refused"]);
  });

  test("a form that another replica signed with a configured key, but not a form signed with any other key", () => {
    const token = new FormTokens([second]).create("link", at);
    expect(new FormTokens([first, second]).check("link", token, afterReading).state).toBe("valid");
    expect(tokens.check("link", token, afterReading).state).toBe("refused");
  });
});

test("creates a different nonce for each form", () => {
  const nonces = [1, 2].map(() => tokens.check("link", tokens.create("link", at), afterReading));
  expect(nonces[0]).toMatchObject({ state: "valid" });
  expect(nonces[0]).not.toEqual(nonces[1]);
  // The registry accepts a nonce of this format as an idempotency key.
  expect(JSON.stringify(nonces)).toMatch(/"nonce":"[0-9a-f]{32}"/);
});

test.each([
  ["a form for another link", (token: string) => ["other", token] as const],
  [
    "an altered time",
    (token: string) => ["link", `${(at - 1).toString(36)}${token.slice(token.indexOf("."))}`] as const,
  ],
  ["an empty token", () => ["link", ""] as const],
  ["a token without a signature", (token: string) => ["link", token.slice(0, token.lastIndexOf("."))] as const],
])("refuses %s", (_name, change) => {
  const [link, token] = change(tokens.create("link", at));
  expect(tokens.check(link, token, afterReading)).toEqual({ state: "refused" });
});
