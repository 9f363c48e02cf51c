import fc from "fast-check";
import { expect, test } from "vitest";
import { decodePlace, encodePlace, type OrderKeys, placeAfter, tokenOf } from "./page-token.ts";

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

test.each<[OrderKeys]>([[[new Date(1)]], [["crt_1"]], [["crt_1", new Date(0)]], [[new Date(8.64e15), ""]]])(
  "decodes the keys %j of an entry, in an order by as many fields only",
  (keys) => {
    const token = encodePlace(keys);
    expect(decodePlace(token, keys.length)).toEqual(keys);
    expect(decodePlace(token, keys.length + 1)).toBeUndefined();
    expect(decodePlace(token, keys.length - 1)).toBeUndefined();
  },
);

const encoded = (text: string) => Buffer.from(text).toString("base64url");

test.each([
  "nonsense",
  "%",
  encoded("1 evt_1"),
  encoded("[1]"),
  encoded('[1,""]'),
  encoded('["","evt_1"]'),
  encoded('[-1,"evt_1"]'),
  encoded('["1e3","e"]'),
  encoded('[1.5,"evt_1"]'),
  encoded('[8640000000000001,"evt_1"]'),
  encoded('[1,{"$gt":""}]'),
  encoded('[1,"evt_1","evt_2"]'),
])("rejects %j as a page token", (token) => {
  expect(() => placeAfter(token)).toThrow("is not a next_page_token of this list");
});

test("accepts a token whose time has 15 digits", () => {
  expect(placeAfter(encoded('[999999999999999,"evt_1"]'))?.at.getTime()).toBe(999_999_999_999_999);
});
