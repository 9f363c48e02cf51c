import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canReceiveMail, emailKey, isEmailAddress } from "./email-address.ts";

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

describe("canReceiveMail", () => {
  test.each(["ann@example.com", "ANN@Shop-1.Example.ORG", '"ann@home"@example.com', "李@例子.example"])(
    "accepts %s",
    (text) => {
      expect(canReceiveMail(text)).toBe(true);
    },
  );

  test.each([
    "ann@example",
    "ann@localhost",
    "ann@example.",
    "ann@.com",
    "ann@example..com",
    "ann@example,com",
    "ann@-example.com",
    "ann@example-.com",
    "ann@exa_mple.com",
    "erased@erased.invalid",
    "erased@erased.INVALID",
    "ann@home@example.com",
  ])("rejects %s", (text) => {
    expect(canReceiveMail(text)).toBe(false);
  });
});

describe("emailKey", () => {
  test.each([
    ["Ada@Example.TEST", "ada@example.test"],
    ["JÄGER@example.test", "ja\u0308ger@example.test"],
    ["İnci@example.test", "i\u0307nci@example.test"],
    ["GROẞE@example.test", "große@example.test"],
    ["\u212Aelvin@example.test", "kelvin@example.test"],
    // Letters that have a composed form only in lower case.
    ["J\u030Cay@example.test", "\u01F0ay@example.test"],
    ["\u03AA\u0301@example.test", "\u0390@example.test"],
  ])("is equal for %s and %s", (one, other) => {
    expect(emailKey(one)).toBe(emailKey(other));
  });

  test.each([
    ["ada@example.test", "ada+x@example.test"],
    ["ada.b@example.test", "adab@example.test"],
    ["İnci@example.test", "inci@example.test"],
    ["ıda@example.test", "ida@example.test"],
    ["GROSSE@example.test", "große@example.test"],
    ["ada@example.test", " ada@example.test"],
  ])("differs for %s and %s", (one, other) => {
    expect(emailKey(one)).not.toBe(emailKey(other));
  });

  test("is idempotent and independent of the Unicode normalization form", () => {
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(text, (address) => {
        const key = emailKey(address);
        expect(emailKey(address.normalize("NFC"))).toBe(key);
        expect(emailKey(address.normalize("NFD"))).toBe(key);
        expect(emailKey(key)).toBe(key);
      }),
      { numRuns: 2_000 },
    );
  });
});
