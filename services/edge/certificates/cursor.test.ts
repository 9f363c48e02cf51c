import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TokenCipher } from "../sealing/token-cipher.ts";
import { serviceErrorOf } from "../testing/service-error-of.ts";
import { CursorCodec, type CursorContent } from "./cursor.ts";
import { parseListQuery } from "./list-query.ts";

const key = Buffer.alloc(32, 7);
const codec = new CursorCodec([key]);
const positionMs = Date.parse("2026-03-01T12:00:00.123Z");
const contentOf = (rawQuery: string): CursorContent => ({
  storeId: "sto_1",
  positionMs,
  epoch: "3k7m9q2w4xyz",
  filters: parseListQuery(rawQuery).filters,
});
const everything = contentOf("");

const refusalOf = (text: string, reader = codec) => serviceErrorOf(() => reader.decode(text));

function withFlippedBit(cursor: string, bit: number): string {
  const bytes = Buffer.from(cursor, "base64url");
  bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return bytes.toString("base64url");
}

describe("a cursor", () => {
  test("decodes to its position, its store and the filters of its query", () => {
    const query =
      "email=J%C3%B6rg+x@b&order=%23A%22%5C1&serial=007&status=expired&updated_since=2026-03-01T13:00%2B0100";
    for (const content of [everything, contentOf(query), contentOf("order=0042&status=all")])
      expect(codec.decode(codec.encode(content))).toEqual(content);
  });

  test("survives encoding and decoding with any store id and any valid time as its position", () => {
    const timeMs = fc.integer({ min: -8.64e15, max: 8.64e15 });
    fc.assert(
      fc.property(timeMs, fc.string({ unit: "binary" }), (anyTimeMs, storeId) => {
        fc.pre(storeId.isWellFormed());
        const content = { ...everything, positionMs: anyTimeMs, storeId };
        expect(codec.decode(codec.encode(content))).toEqual(content);
      }),
    );
  });

  test("differs from all other cursors with the same content, and does not reveal the e-mail address", () => {
    const content = contentOf("email=ada@example.com&order=%231001");
    const cursors = Array.from({ length: 100 }, () => codec.encode(content));
    expect(new Set(cursors).size).toBe(100);
    for (const cursor of cursors) {
      expect(cursor).toMatch(/^[\w-]+$/);
      for (const text of [cursor, Buffer.from(cursor, "base64url").toString("latin1")])
        expect(text).not.toMatch(/example/i);
    }
  });

  test("fits into a query together with a limit, even with a very long e-mail address and the longest order name", () => {
    const filters = { email: `${"é".repeat(250)}@b`, order: `#${"🍋".repeat(63)}` };
    const content = contentOf(`order=${encodeURIComponent(filters.order)}`);
    const longest = { ...content, filters: { ...content.filters, email: filters.email } };
    const cursor = codec.encode({ ...longest, storeId: "sto_".padEnd(40, "x") });
    expect(`limit=100&cursor=${cursor}`.length).toBeLessThan(2_048);
  });

  test("that was issued earlier remains valid", () => {
    const cursor =
      "A6djkVtz2wYnDkrhls98uK7Kr9waURYE3QRNCzsBwO-YCY6D5u_RnpSKAYx3xD_mYH9JrRENCL2mLCJs0NVmHIVtDgHUt2D_U4NlQNOVk1LLruGCLmK9hjd43p_sjCsnUYyB7xhr-W-YCf8vzcXszayZtR1KFCz7jiOt9aMVj4igqPhBrbp_hbM";
    expect(codec.decode(cursor)).toEqual(contentOf("email=ada@example.com&status=active"));
  });

  test("is rejected when any single bit is flipped, including the bits of the key id and the salt", () => {
    const cursor = codec.encode(everything);
    const bits = Buffer.from(cursor, "base64url").length * 8;
    for (let bit = 0; bit < bits; bit++) expect(refusalOf(withFlippedBit(cursor, bit)).code).toBe("bad_request");
  });

  test("is rejected when any single character is changed, even if only unused bits of the last character differ", () => {
    const cursor = codec.encode(everything);
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

  const cursor = codec.encode(everything);
  test.each([
    ["truncated", cursor.slice(0, -1)],
    ["truncated within its head", cursor.slice(0, 34)],
    ["extended", `${cursor}A`],
    ["padded", `${cursor}==`],
    ["followed by a space", `${cursor} `],
    ["encoded in standard base64", `${cursor.slice(0, -1)}+`],
    ["encoded in hexadecimal", Buffer.from(cursor, "base64url").toString("hex")],
    ["repeated", cursor + cursor],
    ["a time", "2026-03-01T12:00:00Z"],
    ["in another format version", `AQ${cursor.slice(2)}`],
    ["empty", ""],
  ])("is rejected with the same message when it is %s", (_name, text) => {
    expect(refusalOf(text).message).toBe(refusalOf("x").message);
    expect(refusalOf(text).message.startsWith("cursor ")).toBe(true);
  });

  test.each([
    ["an unknown filter", '["sto_1",0,{"owner":"a"},"e"]'],
    ["a filter value that is no longer valid", '["sto_1",0,{"serial":"x"},"e"]'],
    ["a position that is not a time", '["sto_1",1e300,{},"e"]'],
    ["text that is not JSON", "["],
  ])("from another version of the edge is rejected, naming cursor, if it contains %s", (_what, content) => {
    const sealed = new TokenCipher([key]).seal(Buffer.from(content));
    expect(refusalOf(sealed.toString("base64url"))).toMatchObject({ code: "bad_request", field: "cursor" });
  });

  test("is rejected when it consists of random bytes", () => {
    const bytes = fc.uint8Array({ minLength: 0, maxLength: 80 });
    fc.assert(fc.property(bytes, (random) => refusalOf(Buffer.from(random).toString("base64url")).field === "cursor"));
  });
});

describe("cursor keys", () => {
  const next = randomBytes(32);

  test("can be replaced while cursors are in use: the first key encrypts, all keys decrypt", () => {
    const rotating = new CursorCodec([next, key]);
    expect(rotating.decode(codec.encode(everything))).toEqual(everything);
    const renewed = rotating.encode(everything);
    expect(new CursorCodec([next]).decode(renewed)).toEqual(everything);
    expect(refusalOf(renewed).field).toBe("cursor");
  });

  test("do not decrypt each other's cursors, even if a cursor contains the other key's id", () => {
    const [cursor, other] = [codec, new CursorCodec([next])].map((one) =>
      Buffer.from(one.encode(everything), "base64url"),
    );
    if (cursor === undefined || other === undefined) throw new Error("two cursors are expected");
    expect(refusalOf(cursor.toString("base64url"), new CursorCodec([next])).field).toBe("cursor");
    const disguised = Buffer.concat([cursor.subarray(0, 1), other.subarray(1, 9), cursor.subarray(9)]);
    expect(refusalOf(disguised.toString("base64url"), new CursorCodec([next, key])).field).toBe("cursor");
  });
});
