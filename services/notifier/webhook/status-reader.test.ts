import fc from "fast-check";
import { expect, test } from "vitest";
import { reasonText } from "#shared/reasons/reason-text.ts";
import { StatusReader } from "./status-reader.ts";

const checkUrl = "Check that the webhook URL points to a web server.";
const notHttp = `The receiver's reply is not HTTP/1.1. ${checkUrl}`;
const invalidStatusLine = `The status line of the receiver's reply is invalid. ${checkUrl}`;
const tooLong = `The receiver sent 16 KiB without a final status. ${checkUrl}`;
const switched = "The receiver switched to another protocol (status 101). Reply with a final status instead.";

/** Pushes the parts until the reading is final. @returns the result and the text after the status line */
function readParts(parts: readonly string[]): { readonly reading: number | string; readonly rest: string } {
  const reader = new StatusReader();
  for (const [index, part] of parts.entries()) {
    const reading = reader.push(part);
    if (reading.kind === "incomplete") continue;
    if (reading.kind === "invalid") return { reading: reasonText(reading.reason, "en"), rest: "" };
    return { reading: reading.status, rest: reading.rest + parts.slice(index + 1).join("") };
  }
  return { reading: "incomplete", rest: "" };
}

const read = (text: string) => readParts([text]).reading;

const interim = "HTTP/1.1 100 Continue\r\n\r\n";

test.each<[string, number | string]>([
  ["HTTP/1.1 200 OK\r\n", 200],
  ["HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody", 200],
  ["HTTP/1.0 404\r\n", 404],
  ["HTTP/1.7 200 OK\r\n", 200],
  ["HTTP/1.1 204 \r\n", 204],
  ["HTTP/1.1 200 Très bien\r\n", 200],
  ["HTTP/1.1 200 a\0b\x1b[31m\r\n", 200],
  ["HTTP/1.1 200 OK\r\n folded\r\n\r\n", 200],
  ["HTTP/1.1 299\n", 299],
  ["HTTP/1.1 600 Odd\r\n", 600],
  ["HTTP/1.1 999 Odd\r\n", 999],
  ["", "incomplete"],
  ["HTT", "incomplete"],
  ["HTTP/1.1 200 OK", "incomplete"],
  ["HTTP/1.1 200 OK\r", "incomplete"],
  [interim, "incomplete"],
  ["HTTP/1.1 100 Continue\r\nA: b\r\n", "incomplete"],
  [`${interim}HTTP/1.1 201 Created\r\n`, 201],
  ["HTTP/1.1 100\n\nHTTP/1.1 201\n", 201],
  ["HTTP/1.1 199 ?\r\nA: b\r\n HTTP/1.1 500\r\n\r\nHTTP/1.1 201\r\n", 201],
  ["HTTP/1.1 103 Hints\r\nA: b\r\n\r\nHTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 500 No\r\n", 500],
  ["HTTP/1.1 101 Switching Protocols\r\n", switched],
  [`${interim}HTTP/1.1 101 Switching Protocols\r\n\r\nHTTP/1.1 200 OK\r\n`, switched],
  ["HTTP/1.1 200OK\r\n", invalidStatusLine],
  ["HTTP/1.1  200 OK\r\n", invalidStatusLine],
  ["HTTP/1.1\t200 OK\r\n", invalidStatusLine],
  ["HTTP/1.1 20 OK\r\n", invalidStatusLine],
  ["HTTP/1.1 000 OK\r\n", invalidStatusLine],
  ["HTTP/1.1 099 OK\r\n", invalidStatusLine],
  ["HTTP/1.1 -200 OK\r\n", invalidStatusLine],
  ["HTTP/1.1 2000 OK\r\n", invalidStatusLine],
  ["HTTP/1.1 200 O\rK\r\n", invalidStatusLine],
  ["HTTP/1.1\r\n", invalidStatusLine],
  ["HTTP/1.10 200 OK\r\n", invalidStatusLine],
  [`${interim}HTTP/1.1 OK\r\n`, invalidStatusLine],
  ["http/1.1 200 OK\r\n", notHttp],
  ["HTTP/2 200 OK\r\n", notHttp],
  ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", notHttp],
  // An HTTP/2 server's first frame: rejected without waiting for a line break.
  ["\0\0\x12\x04\0\0\0\0\0", notHttp],
  ["<html>It works!</html>", notHttp],
  ["SSH-2.0-OpenSSH_9.6", notHttp],
  ["\r\nHTTP/1.1 200 OK\r\n", notHttp],
  ["\ufeffHTTP/1.1 200 OK\r\n", notHttp],
  [`${interim}\r\nHTTP/1.1 200 OK\r\n`, notHttp],
  ["x".repeat(20_000), notHttp],
  ["HTTP/1.1 200 ".padEnd(16_384, "x"), tooLong],
  [`HTTP/1.1 100 Continue\r\n${"A: b\r\n".repeat(4_000)}`, tooLong],
  [interim.repeat(1_000), tooLong],
])("reads %j as %s", (text, reading) => {
  expect(read(text)).toBe(reading);
});

test("accepts a final status line that ends within the first 16 KiB, and rejects one that ends later", () => {
  const final = "HTTP/1.1 200 OK\r\n";
  const replyOf = (bytes: number) => `HTTP/1.1 100 ${"x".repeat(bytes - 17 - final.length)}\r\n\r\n${final}`;
  expect(replyOf(16_384)).toHaveLength(16_384);
  expect(read(replyOf(16_384))).toBe(200);
  expect(read(replyOf(16_385))).toBe(tooLong);
});

test("returns the text after the status line of a reply that arrives byte by byte", () => {
  const text = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 202 Accepted\r\nA: b\r\n\r\nbody";
  expect(readParts([...text])).toEqual({ reading: 202, rest: "A: b\r\n\r\nbody" });
});

/** The reference implementation: reads the whole reply line by line. */
function reference(text: string): number | string {
  const lines = text.slice(0, 16_384).split("\n");
  const last = lines.pop() ?? "";
  let isHead = false;
  for (const ended of lines) {
    const line = ended.endsWith("\r") ? ended.slice(0, -1) : ended;
    if (isHead) {
      isHead = line !== "";
      continue;
    }
    if (!line.startsWith("HTTP/1.")) return notHttp;
    const digits = /^HTTP\/1\.[0-9] ([0-9]{3})( [^\r]*)?$/.exec(line)?.[1] ?? "000";
    if (digits.startsWith("0")) return invalidStatusLine;
    if (!digits.startsWith("1")) return Number(digits);
    if (digits === "101") return switched;
    isHead = true;
  }
  if (!isHead && last.slice(0, 7) !== "HTTP/1.".slice(0, last.length)) return notHttp;
  return text.length < 16_384 ? "incomplete" : tooLong;
}

// Fragments of replies, because random bytes rarely resemble a reply.
const piece = fc.oneof(
  fc.constantFrom(...["HTTP/1.1 ", "HTTP/1.0 ", "HTTP/2 ", "200", "100", "101", "404", "20", "2000", " OK"]),
  fc.constantFrom(...["\r\n", "\r\n\r\n", "\n", "\n\n", "\r", " ", "A: b\r\n", interim]),
  fc.constantFrom("HTTP/1.1 204 No Content\r\n", "HTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\n"),
  fc.constantFrom("x".repeat(5_000), interim.repeat(300)),
  fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) }),
);
const reply = fc
  .tuple(fc.constantFrom("", "HTTP/1.1 ", interim), fc.array(piece, { maxLength: 12 }))
  .map(([start, pieces]) => start + pieces.join(""));

test("never throws, and agrees with the reference implementation", () => {
  fc.assert(
    fc.property(reply, (text) => {
      expect(read(text)).toBe(reference(text));
    }),
    { numRuns: 5_000 },
  );
});

test("returns the same result however the bytes are split", () => {
  fc.assert(
    fc.property(reply, fc.array(fc.nat(), { maxLength: 20 }), (text, cuts) => {
      const places = [...cuts.map((cut) => cut % (text.length + 1)), 0, text.length].sort((a, b) => a - b);
      const parts = places.slice(1).map((place, index) => text.slice(places[index], place));
      expect(readParts(parts)).toEqual(readParts([text]));
    }),
    { numRuns: 2_000 },
  );
});
