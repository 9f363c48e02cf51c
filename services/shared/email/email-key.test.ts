import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emailKey } from "./email-address.ts";

describe("emailKey", () => {
  test.each([
    ["Ada@Example.TEST", "ada@example.test"],
    ["JÄGER@example.test", "ja\u0308ger@example.test"],
    ["İnci@example.test", "i\u0307nci@example.test"],
    ["GROẞE@example.test", "große@example.test"],
    ["\u212Aelvin@example.test", "kelvin@example.test"],
    // Lower-case letters with a composed form whose upper-case letters have none.
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

  test("is independent of the normalization form and idempotent", () => {
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
