import { describe, expect, test } from "vitest";
import { isEmailAddress } from "./email-address.ts";

describe("isEmailAddress", () => {
  test.each([
    "ann@example.com",
    "Ann.Lee+shop@Example.ORG",
    "o'neil@example.net",
    '"ann@home"@example.com',
    "李@例子.example",
    `${"a".repeat(242)}@example.com`,
  ])("accepts %s", (text) => {
    expect(isEmailAddress(text)).toBe(true);
  });

  test.each([
    "",
    "ann",
    "@example.com",
    "ann@",
    "ann@home@example.com",
    "ann lee@example.com",
    "ann@exam ple.com",
    "ann@example.com\n",
    "ann@example.com,bob@example.com ",
    "ann\u0000@example.com",
    "ann\u200b@example.com",
    '"@example.com',
    `${"a".repeat(243)}@example.com`,
  ])("rejects %j", (text) => {
    expect(isEmailAddress(text)).toBe(false);
  });
});
