import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { serviceErrorOf } from "../testing/service-error-of.ts";
import { CursorCodec, type CursorScope } from "./cursor.ts";
import { type ListFilters, parseListQuery } from "./list-query.ts";

const key = Buffer.alloc(32, 7);
const codec = new CursorCodec([key]);
const positionMs = Date.parse("2026-03-01T12:00:00.123Z");
const scopeOf = (rawQuery: string, storeId = "store-1"): CursorScope => ({
  storeId,
  filters: parseListQuery(rawQuery).filters,
});
const everything = scopeOf("");

const refusalOf = (text: string, scope = everything, reader = codec) =>
  serviceErrorOf(() => reader.decode(text, scope));

describe("a cursor", () => {
  test("decodes to the encoded position for any time and scope", () => {
    const scope = fc.record({
      storeId: fc.string(),
      filters: fc.record<ListFilters>({ status: fc.constantFrom(0, 1, 2, 3) }),
    });
    const anyTime = fc.maxSafeInteger();
    fc.assert(
      fc.property(anyTime, scope, (timeMs, anyScope) => {
        expect(codec.decode(codec.encode(timeMs, anyScope), anyScope)).toBe(timeMs);
      }),
    );
  });

  test("reads the position of an unverified cursor, and rejects a position that is not a time", () => {
    const cursor = codec.encode(positionMs, everything);
    expect(codec.unverifiedPosition(cursor)).toBe(positionMs);
    expect(refusalOf(cursor, scopeOf("", "store-2")).field).toBe("cursor");
    expect(codec.unverifiedPosition(codec.encode(8.64e15, everything))).toBe(8.64e15);
    const altered = codec.encode(8.64e15 + 1, everything);
    expect(serviceErrorOf(() => codec.unverifiedPosition(altered)).field).toBe("cursor");
    expect(serviceErrorOf(() => codec.unverifiedPosition("x")).field).toBe("cursor");
  });

  test("is 34 URL-safe characters long", () => {
    for (const timeMs of [0, -1, positionMs, 8.64e15]) {
      expect(codec.encode(timeMs, everything)).toMatch(/^[\w-]{34}$/);
    }
  });

  test("of the first release remains valid", () => {
    expect(codec.decode("AQAAAZypRQp7GZNvYGpZX6pl2a72xelrHA", scopeOf("email=a@b&limit=3"))).toBe(positionMs);
  });

  test.each([
    ["limit=5", "limit=100"],
    ["limit=5", ""],
    ["status=all", ""],
    ["serial=007", "serial=7"],
    ["email=Ada@Example.com", "email=ada@example.COM"],
    ["email=j%C3%B6rg@b", "email=jo%CC%88rg@b"],
    ["updated_since=2026-03-01T12:00:00Z", "updated_since=2026-03-01T13:00:00.000%2B01:00"],
    ["status=active&serial=1", "serial=1&status=active"],
  ])("issued for the query %j is valid for the equivalent query %j", (one, other) => {
    expect(codec.decode(codec.encode(positionMs, scopeOf(one)), scopeOf(other))).toBe(positionMs);
  });

  test.each([
    ["", "status=active"],
    ["status=active", "status=revoked"],
    ["status=active", ""],
    ["serial=1", "serial=2"],
    ["serial=1", "order=1"],
    ["order=1", "order=01"],
    ["order=1", "order=%231"],
    ["order=%23a", "order=%23A"],
    ["email=a@b", "email=a@c"],
    ["email=a@b", ""],
    ["updated_since=2026-03-01T12:00:00Z", "updated_since=2026-03-01T12:00:00.001Z"],
    ["updated_since=1970-01-01T00:00:00Z", ""],
  ])("issued for the query %j is rejected for the query %j", (one, other) => {
    expect(refusalOf(codec.encode(positionMs, scopeOf(one)), scopeOf(other)).field).toBe("cursor");
  });

  test("is rejected for another store", () => {
    const cursor = codec.encode(positionMs, everything);
    expect(refusalOf(cursor, scopeOf("", "store-2")).code).toBe("bad_request");
  });

  test("is rejected when any single bit is flipped", () => {
    const cursor = Buffer.from(codec.encode(positionMs, everything), "base64url");
    for (let bit = 0; bit < cursor.length * 8; bit++) {
      const altered = Buffer.from(cursor);
      altered.writeUInt8(altered.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(refusalOf(altered.toString("base64url")).code).toBe("bad_request");
    }
  });

  test("is rejected when any single character is changed, even if only unused bits of the last character differ", () => {
    const cursor = codec.encode(positionMs, everything);
    const anyPlace = fc.nat({ max: cursor.length - 1 });
    const anyCharacter = fc.string({ unit: "binary", minLength: 1, maxLength: 1 });
    fc.assert(
      fc.property(anyPlace, anyCharacter, (at, character) => {
        fc.pre(cursor.charAt(at) !== character);
        expect(refusalOf(cursor.slice(0, at) + character + cursor.slice(at + 1)).field).toBe("cursor");
      }),
      { numRuns: 2_000 },
    );
    for (const last of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") {
      if (last !== cursor.at(-1)) expect(refusalOf(cursor.slice(0, -1) + last).field).toBe("cursor");
    }
  });

  const cursor = codec.encode(positionMs, everything);
  test.each([
    ["truncated", cursor.slice(0, -1)],
    ["truncated to its header", cursor.slice(0, 12)],
    ["extended", `${cursor}A`],
    ["padded", `${cursor}==`],
    ["followed by a space", `${cursor} `],
    ["encoded in standard base64", Buffer.from(cursor, "base64url").toString("base64")],
    ["encoded in hexadecimal", Buffer.from(cursor, "base64url").toString("hex")],
    ["doubled", cursor + cursor],
    ["a time", "2026-03-01T12:00:00Z"],
    ["of another version", `Ag${cursor.slice(2)}`],
    ["empty", ""],
  ])("is rejected with the same message when it is %s", (_name, text) => {
    expect(refusalOf(text).message).toBe(refusalOf("x").message);
    expect(refusalOf(text).message.startsWith("cursor ")).toBe(true);
  });

  test("is rejected when it consists of random bytes", () => {
    const bytes = fc.uint8Array({ minLength: 0, maxLength: 40 });
    fc.assert(fc.property(bytes, (random) => refusalOf(Buffer.from(random).toString("base64url")).field === "cursor"));
  });
});

describe("cursor keys", () => {
  const next = randomBytes(32);

  test("can be rotated while cursors are in use: the first key signs, all keys verify", () => {
    const rotating = new CursorCodec([next, key]);
    expect(rotating.decode(codec.encode(positionMs, everything), everything)).toBe(positionMs);
    const renewed = rotating.encode(positionMs, everything);
    expect(new CursorCodec([next]).decode(renewed, everything)).toBe(positionMs);
    expect(refusalOf(renewed, everything, codec).field).toBe("cursor");
  });

  test("do not verify each other's cursors", () => {
    const cursor = codec.encode(positionMs, everything);
    expect(refusalOf(cursor, everything, new CursorCodec([next])).field).toBe("cursor");
  });
});
