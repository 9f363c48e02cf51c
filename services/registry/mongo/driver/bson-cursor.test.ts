import fc from "fast-check";
import { BSON, Double, Int32, Long, ObjectId } from "mongodb";
import { expect, test } from "vitest";
import { BsonCursor } from "./bson-cursor.ts";

const cursorOf = (document: object) => new BsonCursor(Buffer.from(BSON.serialize(document)), 0);

const leaves = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer().map((value) => new Int32(value | 0)),
  fc.double().map((value) => new Double(value)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => Long.fromBigInt(value)),
  fc.string({ unit: "binary" }),
  fc.date({ noInvalidDate: true }),
  fc.array(fc.string()),
  fc.dictionary(fc.string({ unit: "grapheme" }), fc.string()),
);
const names = fc.string({ unit: "grapheme" }).filter((name) => !name.includes("\0"));

test("reaches every element of a document and recognizes its name, whatever values precede it", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(names, leaves), { selector: ([name]) => name }), (elements) => {
      const cursor = cursorOf(new Map(elements));
      for (const [name, value] of elements) {
        expect(cursor.next()).toBe(true);
        expect(cursor.isNamed(Buffer.from(name))).toBe(true);
        expect(cursor.isNamed(Buffer.from(`${name}x`))).toBe(false);
        expect(cursor.date()).toEqual(value instanceof Date ? value : undefined);
        if (typeof value === "string") expect(Buffer.from(cursor.byteString(), "latin1").toString()).toBe(value);
        else expect(() => cursor.byteString()).toThrow("where a string is expected");
      }
      expect(cursor.next()).toBe(false);
    }),
  );
});

test("reads numbers, and the elements of arrays and embedded documents", () => {
  const numbers = [7, 1.5, Long.fromString("-8589934592"), "7"];
  const cursor = cursorOf({ list: numbers, inner: { text: "€" }, last: null });
  expect(cursor.next() && cursor.number()).toBeNaN();
  const list = cursor.elements();
  expect(numbers.map(() => list?.next() && list.number())).toEqual([7, 1.5, -8_589_934_592, Number.NaN]);
  expect(list?.next()).toBe(false);
  cursor.next();
  const inner = cursor.elements();
  expect(inner?.next() && inner.byteString()).toBe("â\x82¬");
  cursor.next();
  expect(cursor.elements()).toBeUndefined();
});

test("refuses a truncated document and a BSON type that no certificate contains", () => {
  expect(() => cursorOf({ _id: new ObjectId() }).next()).toThrow("the unexpected BSON type 7");
  const bytes = Buffer.from(BSON.serialize({ name: "text" }));
  const unterminated = Buffer.from(bytes).fill("x", 5);
  expect(() => new BsonCursor(unterminated, 0).next()).toThrow("the name of a BSON element is not terminated");
  expect(() => new BsonCursor(bytes.subarray(0, 11), 0).next()).toThrow(RangeError);
});
