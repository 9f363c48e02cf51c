import fc from "fast-check";
import { expect, test } from "vitest";
import { pageToken, positionOf } from "./delivery-log.ts";

const positions = fc.record({
  claimedAt: fc.date({ min: new Date(0), max: new Date("9999-12-31"), noInvalidDate: true }),
  eventId: fc.string({ minLength: 1, unit: "grapheme" }),
});

test("decodes a page token to the position that it encodes", () => {
  fc.assert(
    fc.property(positions, (position) => {
      expect(positionOf(pageToken(position))).toEqual(position);
    }),
  );
  expect(positionOf(pageToken(undefined))).toBeUndefined();
});

const tokenOf = (text: string) => Buffer.from(text).toString("base64url");

test.each(["nonsense", "%", tokenOf("1"), tokenOf("1 "), tokenOf(" evt_1"), tokenOf("-1 evt_1"), tokenOf("1e3 e")])(
  "rejects %j as a page token",
  (token) => {
    expect(() => positionOf(token)).toThrow("is not a next_page_token of this list");
  },
);

test("accepts a token whose time has 15 digits", () => {
  expect(positionOf(tokenOf("999999999999999 evt_1"))?.claimedAt.getTime()).toBe(999_999_999_999_999);
});
