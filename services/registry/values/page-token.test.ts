import fc from "fast-check";
import { expect, test } from "vitest";
import { placeAfter, tokenOf } from "./page-token.ts";

const places = fc.record({
  at: fc.date({ min: new Date(0), max: new Date("9999-12-31"), noInvalidDate: true }),
  id: fc.string({ minLength: 1, unit: "grapheme" }),
});

test("decodes a page token to the place that it encodes", () => {
  fc.assert(
    fc.property(places, (place) => {
      expect(placeAfter(tokenOf(place))).toEqual(place);
    }),
  );
  expect(placeAfter(tokenOf(undefined))).toBeUndefined();
});

const encoded = (text: string) => Buffer.from(text).toString("base64url");

test.each(["nonsense", "%", encoded("1"), encoded("1 "), encoded(" evt_1"), encoded("-1 evt_1"), encoded("1e3 e")])(
  "rejects %j as a page token",
  (token) => {
    expect(() => placeAfter(token)).toThrow("is not a next_page_token of this list");
  },
);

test("accepts a token whose time has 15 digits", () => {
  expect(placeAfter(encoded("999999999999999 evt_1"))?.at.getTime()).toBe(999_999_999_999_999);
});
