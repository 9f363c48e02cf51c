import fc from "fast-check";
import { expect, test } from "vitest";
import { BodyReader } from "./body-reader.ts";

/** Pushes the parts until the reader needs no more. */
function readParts(parts: readonly string[], status = 200) {
  const reader = new BodyReader(status);
  const isComplete = parts.some((part) => reader.push(part));
  const { bytes, compression } = reader.body;
  return { text: bytes.toString("latin1"), isComplete, compression };
}

const read = (text: string, status = 200) => readParts([text], status);

const chunked = "Transfer-Encoding: chunked\r\n\r\n";

test.each<[string, string, string, boolean]>([
  ["a body with a length", "Content-Length: 2\r\n\r\nok", "ok", true],
  ["no bytes beyond the length", "content-length:  2 \r\n\r\nok and more", "ok", true],
  ["an incomplete body", "Content-Length: 5\r\n\r\nok", "ok", false],
  ["an empty body", "Content-Length: 0\r\n\r\n", "", true],
  ["a body that ends with the connection", "A: b\r\n\r\nok", "ok", false],
  ["a body without headers", "\r\nok", "ok", false],
  ["bare line feeds", "Content-Length: 2\n\nok", "ok", true],
  ["a folded header", "A: b\r\n c\r\nContent-Length: 2\r\n\r\nok", "ok", true],
  ["an invalid length", "Content-Length: -1\r\n\r\nok", "ok", false],
  ["a similar header name", "X-Content-Length: 1\r\n\r\nok", "ok", false],
  ["an incomplete head", "A: b\r\nContent-Length: 2\r\n", "", false],
  ["chunks", `${chunked}2\r\nok\r\nA;x=y\r\n0123456789\r\n0\r\n`, "ok0123456789", true],
  ["an incomplete chunk", `${chunked}2\r\nok\r\n5\r\nab`, "okab", false],
  ["chunks rather than a length", `Content-Length: 1\r\n${chunked}2\r\nok\r\n0\r\n`, "ok", true],
  ["chunks with bare line feeds", `${chunked}2\nok\n0\n\n`, "ok", true],
  ["an invalid chunk", `${chunked}ok\r\n`, "", false],
  ["a chunk that exceeds its size", `${chunked}2\r\nokay\r\n0\r\n`, "ok", false],
  ["a chunk of 4 GiB", `${chunked}ffffffff\r\nok`, "ok", false],
  ["a chunk size that overflows", `${chunked}fffffffff\r\nok`, "", false],
])("reads %s: %j", (_name, received, text, isComplete) => {
  expect(read(received)).toEqual({ text, isComplete, compression: "" });
});

test.each([204, 304])("reads no body with status %i", (status) => {
  expect(read("Content-Length: 2\r\n\r\nok", status)).toMatchObject({ isComplete: true, text: "" });
  expect(read("Content-Length: 2\r\n", status)).toMatchObject({ isComplete: false, text: "" });
});

test.each([
  ["Content-Encoding: gzip", "gzip"],
  ["Content-Encoding: GZIP , br", "gzip, br"],
  ["Content-Encoding: identity", ""],
  ["Content-Encoding:", ""],
  ["Transfer-Encoding: gzip, chunked", "gzip"],
  ["Transfer-Encoding: chunked, gzip", "gzip"],
])("reads the compression in the header %s as %j", (header, compression) => {
  expect(read(`${header}\r\n\r\n`).compression).toBe(compression);
});

test("keeps at most 4 KiB of a body, including chunked framing, and returns no body after endless headers", () => {
  const endless = "x".repeat(100_000);
  expect(read(`\r\n${endless}`)).toMatchObject({ isComplete: true, text: "x".repeat(4_096) });
  expect(read(`${chunked}fffff\r\n${endless}`).text).toHaveLength(4_096 - 7);
  expect(read(endless)).toEqual({ isComplete: true, text: "", compression: "" });
});

const piece = fc.oneof(
  fc.constantFrom("Content-Length: 3\r\n", "Content-Encoding: br\r\n", chunked, "\r\n", "\n", "\r"),
  fc.constantFrom("0\r\n\r\n", "3\r\nabc\r\n", "A: b\r\n", "x".repeat(5_000), `A: ${"x".repeat(8_000)}\r\n`),
  fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) }),
);

test("never throws, and reads the same body however the bytes are split", () => {
  fc.assert(
    fc.property(fc.array(piece), fc.array(fc.nat(), { maxLength: 20 }), (pieces, cuts) => {
      const text = pieces.join("");
      const places = [...cuts.map((cut) => cut % (text.length + 1)), 0, text.length].sort((a, b) => a - b);
      const parts = places.slice(1).map((place, index) => text.slice(places[index], place));
      const whole = read(text);
      expect(readParts(parts)).toEqual(whole);
      expect(whole.text.length).toBeLessThanOrEqual(4_096);
    }),
    { numRuns: 3_000 },
  );
});
