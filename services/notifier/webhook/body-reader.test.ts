import fc from "fast-check";
import { expect, test } from "vitest";
import { BodyReader } from "./body-reader.ts";

/** Reads what follows a status line, in parts, until that is enough. */
function readParts(parts: readonly Buffer[], status = 200) {
  const reader = new BodyReader(status);
  const isEnough = parts.some((part) => reader.push(part));
  return { isEnough, text: reader.body.bytes.toString("latin1"), compression: reader.body.compression };
}

const read = (text: string, status = 200) => readParts([Buffer.from(text, "latin1")], status);

const chunked = "Transfer-Encoding: chunked\r\n\r\n";

test.each<[string, string, string, boolean]>([
  ["a body whose length is told", "Content-Length: 2\r\n\r\nok", "ok", true],
  ["only as much as is told", "content-length:  2 \r\n\r\nok and more", "ok", true],
  ["a body that is not complete yet", "Content-Length: 5\r\n\r\nok", "ok", false],
  ["an empty body", "Content-Length: 0\r\n\r\n", "", true],
  ["a body that ends with the connection", "A: b\r\n\r\nok", "ok", false],
  ["no headers at all", "\r\nok", "ok", false],
  ["bare line feeds", "Content-Length: 2\n\nok", "ok", true],
  ["a folded header", "A: b\r\n c\r\nContent-Length: 2\r\n\r\nok", "ok", true],
  ["a length that is none", "Content-Length: -1\r\n\r\nok", "ok", false],
  ["a length of another header", "X-Content-Length: 1\r\n\r\nok", "ok", false],
  ["headers that do not end", "A: b\r\nContent-Length: 2\r\n", "", false],
  ["chunks", `${chunked}2\r\nok\r\nA;x=y\r\n0123456789\r\n0\r\n`, "ok0123456789", true],
  ["chunks that go on", `${chunked}2\r\nok\r\n5\r\nab`, "okab", false],
  ["chunks and a length", `Content-Length: 1\r\n${chunked}2\r\nok\r\n0\r\n`, "ok", true],
  ["chunks with bare line feeds", `${chunked}2\nok\n0\n\n`, "ok", true],
  ["chunks that are none", `${chunked}ok\r\n`, "", false],
  ["a chunk that is longer than it says", `${chunked}2\r\nokay\r\n0\r\n`, "ok", false],
  ["a chunk of 4 GiB", `${chunked}ffffffff\r\nok`, "ok", false],
  ["a length of a chunk that overflows", `${chunked}fffffffff\r\nok`, "", false],
])("%s: %j is %j", (_name, text, body, isEnough) => {
  expect(read(text)).toEqual({ isEnough, text: body, compression: "" });
});

test.each([204, 304])("status %i has no body, whatever comes", (status) => {
  expect(read("Content-Length: 2\r\n\r\nok", status)).toMatchObject({ isEnough: true, text: "" });
  expect(read("Content-Length: 2\r\n", status)).toMatchObject({ isEnough: false, text: "" });
});

test.each([
  ["Content-Encoding: gzip", "gzip"],
  ["Content-Encoding: GZIP , br", "gzip, br"],
  ["Content-Encoding: identity", ""],
  ["Content-Encoding:", ""],
  ["Transfer-Encoding: gzip, chunked", "gzip"],
  ["Transfer-Encoding: chunked, gzip", "gzip"],
])("%s says that the body is compressed with %j", (header, compression) => {
  expect(read(`${header}\r\n\r\n`).compression).toBe(compression);
});

test("of an endless body 4 KiB are kept, framing included, and of endless headers nothing", () => {
  const part = Buffer.alloc(1_000, "x");
  const parts = Array.from({ length: 100 }, () => part);
  const body = readParts([Buffer.from("\r\n"), ...parts]);
  expect([body.isEnough, body.text.length]).toEqual([true, 4_096]);
  expect(readParts([Buffer.from(`${chunked}fffff\r\n`), ...parts]).text).toHaveLength(4_096 - 7);
  expect(readParts(parts)).toEqual({ isEnough: true, text: "", compression: "" });
});

const piece = fc.oneof(
  fc.constantFrom(
    "Content-Length: 3\r\n",
    "Content-Encoding: br\r\n",
    chunked,
    "\r\n",
    "\n",
    "\r",
    "0\r\n\r\n",
  ),
  fc.constantFrom("3\r\nabc\r\n", "A: b\r\n", "x".repeat(5_000), `A: ${"x".repeat(8_000)}\r\n`),
  fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) }),
);

test("whatever bytes come, however they are cut up: nothing throws, and the body is the same", () => {
  fc.assert(
    fc.property(fc.array(piece), fc.array(fc.nat(), { maxLength: 20 }), (pieces, cuts) => {
      const bytes = Buffer.from(pieces.join(""), "latin1");
      const places = [...cuts.map((cut) => cut % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b);
      const parts = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
      const whole = readParts([bytes]);
      expect(readParts(parts)).toEqual(whole);
      expect(whole.text.length).toBeLessThanOrEqual(4_096);
    }),
    { numRuns: 3_000 },
  );
});
