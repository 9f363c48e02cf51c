import { expect, test } from "vitest";
import { StatusReader, type StatusReading } from "./status-reader.ts";

function read(text: string): StatusReading {
  return new StatusReader().push(Buffer.from(text, "latin1"));
}

test.each<[string, StatusReading]>([
  ["HTTP/1.1 200 OK\r\n", 200],
  ["HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody", 200],
  ["HTTP/1.0 404\r\n", 404],
  ["HTTP/1.1 204 \r\n", 204],
  ["HTTP/1.1 200 Très bien\r\n", 200],
  ["HTTP/1.1 299\n", 299],
  ["HTTP/1.1 999 Odd\r\n", 999],
  ["", "incomplete"],
  ["HTTP/1.1 200 OK", "incomplete"],
  ["HTTP/1.1 200 OK\r", "incomplete"],
  ["HTTP/1.1 100 Continue\r\n\r\n", "incomplete"],
  ["HTTP/1.1 100 Continue\r\nA: b\r\n", "incomplete"],
  ["HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\n", 201],
  ["HTTP/1.1 103 Hints\r\nA: b\r\n\r\nHTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 500 No\r\n", 500],
  ["HTTP/1.1 200OK\r\n", "invalid"],
  ["HTTP/1.1  200 OK\r\n", "invalid"],
  ["HTTP/1.1 099 OK\r\n", "invalid"],
  ["HTTP/1.1 2000 OK\r\n", "invalid"],
  ["http/1.1 200 OK\r\n", "invalid"],
  ["HTTP/2 200 OK\r\n", "invalid"],
  ["\r\nHTTP/1.1 200 OK\r\n", "invalid"],
  ["x".repeat(9_000), "invalid"],
  [`HTTP/1.1 100 Continue\r\n${"A: b\r\n".repeat(2_000)}`, "invalid"],
  ["HTTP/1.1 100 Continue\r\n\r\n".repeat(400), "invalid"],
])("%j reads as %s", (text, reading) => {
  expect(read(text)).toBe(reading);
});

test("however the bytes are cut up, the reading is the same", () => {
  const text = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 202 Accepted\r\n";
  for (let size = 1; size <= text.length; size++) {
    const reader = new StatusReader();
    let reading: StatusReading = "incomplete";
    for (let at = 0; at < text.length; at += size) {
      expect(reading).toBe("incomplete");
      reading = reader.push(Buffer.from(text.slice(at, at + size)));
    }
    expect(reading).toBe(202);
  }
});
