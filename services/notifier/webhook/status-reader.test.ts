import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StatusReader, type StatusReading } from "./status-reader.ts";

type Reading = number | "incomplete" | string;

const notHttp = "The receiver's reply is not HTTP/1.1.";
const unreadable = "The status line of the receiver's reply cannot be read.";
const tooLong = "The receiver sent 16 KiB without a final status.";
const switched = "The receiver switched to another protocol (status 101).";

/** What a reading amounts to: the status, "incomplete" or the problem. */
function told(reading: StatusReading): Reading {
  if (reading.kind === "status") return reading.status;
  return reading.kind === "invalid" ? reading.problem : reading.kind;
}

/** Reads the bytes in parts, until there is an answer. @returns it, with the bytes that are left for the body */
function readParts(parts: readonly Buffer[]): { readonly told: Reading; readonly rest: string } {
  const reader = new StatusReader();
  for (const [index, part] of parts.entries()) {
    const reading = reader.push(part);
    if (reading.kind === "incomplete") continue;
    const rest = reading.kind === "status" ? [reading.rest, ...parts.slice(index + 1)] : [];
    return { told: told(reading), rest: Buffer.concat(rest).toString("latin1") };
  }
  return { told: "incomplete", rest: "" };
}

const read = (text: string) => readParts([Buffer.from(text, "latin1")]).told;

const interim = "HTTP/1.1 100 Continue\r\n\r\n";

test.each<[string, Reading]>([
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
  ["HTTP/1.1 200OK\r\n", unreadable],
  ["HTTP/1.1  200 OK\r\n", unreadable],
  ["HTTP/1.1\t200 OK\r\n", unreadable],
  ["HTTP/1.1 20 OK\r\n", unreadable],
  ["HTTP/1.1 000 OK\r\n", unreadable],
  ["HTTP/1.1 099 OK\r\n", unreadable],
  ["HTTP/1.1 -200 OK\r\n", unreadable],
  ["HTTP/1.1 2000 OK\r\n", unreadable],
  ["HTTP/1.1 200 O\rK\r\n", unreadable],
  ["HTTP/1.1\r\n", unreadable],
  ["HTTP/1.10 200 OK\r\n", unreadable],
  [`${interim}HTTP/1.1 OK\r\n`, unreadable],
  ["http/1.1 200 OK\r\n", notHttp],
  ["HTTP/2 200 OK\r\n", notHttp],
  ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", notHttp],
  // An HTTP/2 server's first frame: nobody need wait for a line end.
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
])("%j reads as %s", (text, reading) => {
  expect(read(text)).toBe(reading);
});

test("a status line counts that ends with the last byte of 16 KiB, and none after it", () => {
  const ending = "HTTP/1.1 200 OK\r\n";
  const before = (bytes: number) => `HTTP/1.1 100 ${"x".repeat(bytes - 17 - ending.length)}\r\n\r\n${ending}`;
  expect(before(16_384)).toHaveLength(16_384);
  expect(read(before(16_384))).toBe(200);
  expect(read(before(16_385))).toBe(tooLong);
});

/** Reads as the reader must, in the plainest way: the whole reply at once, line by line. */
function reference(text: string): Reading {
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
    if (digits.startsWith("0")) return unreadable;
    if (!digits.startsWith("1")) return Number(digits);
    if (digits === "101") return switched;
    isHead = true;
  }
  if (!isHead && last.slice(0, 7) !== "HTTP/1.".slice(0, last.length)) return notHttp;
  return text.length < 16_384 ? "incomplete" : tooLong;
}

// Pieces of replies, so that chance makes more of them than noise.
const piece = fc.oneof(
  fc.constantFrom(
    "HTTP/1.1 ",
    "HTTP/1.0 ",
    "HTTP/2 ",
    "200",
    "100",
    "101",
    "404",
    "20",
    "2000",
    " OK",
    "\r\n",
  ),
  fc.constantFrom("\r\n\r\n", "\n", "\n\n", "\r", " ", "A: b\r\n", interim, "HTTP/1.1 204 No Content\r\n"),
  fc.constantFrom("HTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\n", "x".repeat(5_000), interim.repeat(300)),
  fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) }),
);
const reply = fc
  .tuple(fc.constantFrom("", "HTTP/1.1 ", interim), fc.array(piece, { maxLength: 12 }))
  .map(([start, pieces]) => start + pieces.join(""));
const cuts = fc.array(fc.nat(), { maxLength: 20 });

function cutUp(text: string, at: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text, "latin1");
  const places = [...at.map((place) => place % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b);
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place));
}

describe("whatever bytes come", () => {
  test("the reading is that of a reader line by line, and nothing throws", () => {
    fc.assert(
      fc.property(reply, (text) => {
        expect(read(text)).toBe(reference(text));
      }),
      { numRuns: 5_000 },
    );
  });

  test("however they are cut up, the reading and what is left for the body are the same", () => {
    fc.assert(
      fc.property(reply, cuts, (text, at) => {
        expect(readParts(cutUp(text, at))).toEqual(readParts([Buffer.from(text, "latin1")]));
      }),
      { numRuns: 2_000 },
    );
    const text = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 202 Accepted\r\nA: b\r\n\r\nbody";
    const bytewise = [...text].map((byte) => Buffer.from(byte, "latin1"));
    expect(readParts(bytewise)).toEqual({ told: 202, rest: "A: b\r\n\r\nbody" });
  });
});
