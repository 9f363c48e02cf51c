import { expect, test } from "vitest";
import { shortReply, TlsInputLimit } from "./tls-input-limit.ts";

const record = (contentBytes: number) =>
  Buffer.concat([Buffer.of(23, 3, 3, contentBytes >> 8, contentBytes & 255), Buffer.alloc(contentBytes, 0xff)]);
const records = (count: number, contentBytes: number) =>
  Buffer.concat(Array.from({ length: count }, () => record(contentBytes)));

test("admits at most 64 KiB before the end of the handshake", () => {
  const limit = new TlsInputLimit();
  const input = records(5, 16_000);
  expect(limit.admit(input)).toBe(64 * 1_024);
  expect(limit.admit(input)).toBe(0);
});

test("admits at most 24 KiB after the handshake", () => {
  const limit = new TlsInputLimit();
  limit.admit(records(4, 16_000));
  limit.startReply(shortReply);
  expect(limit.admit(records(5, 16_000))).toBe(24 * 1_024);
});

test.each([0, 1, 22])("admits at most 128 records of %i bytes, however the bytes are split", (contentBytes) => {
  const input = records(200, contentBytes);
  const expected = records(128, contentBytes).length;
  for (const pieceBytes of [1, 2, 3, 7, 100, 1_000, input.length]) {
    const limit = new TlsInputLimit();
    let admitted = 0;
    for (let at = 0; at < input.length; at += pieceBytes) admitted += limit.admit(input.subarray(at, at + pieceBytes));
    expect(admitted, `pieces of ${pieceBytes} bytes`).toBe(expected);
  }
});

test("does not reset the record count at the end of the handshake", () => {
  const limit = new TlsInputLimit();
  limit.admit(records(100, 22));
  limit.startReply(shortReply);
  expect(limit.admit(records(100, 22))).toBe(records(28, 22).length);
});
