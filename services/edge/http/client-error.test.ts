import { describe, expect, test } from "vitest";
import { clientErrorResponse, isHeadRequest } from "./client-error.ts";
import { queryTooLong } from "./query-errors.ts";

const clientError = (code: string, packet?: string) =>
  Object.assign(new Error(code), {
    code,
    ...(packet === undefined ? {} : { rawPacket: Buffer.from(packet) }),
  });

describe("clientErrorResponse", () => {
  test("maps an oversized request line to 400, with the message for a query that is too long", () => {
    const error = clientError("HPE_HEADER_OVERFLOW", `GET /v1/certificates?email=${"a".repeat(99)}`);
    expect(clientErrorResponse(error)).toEqual({ status: 400, message: queryTooLong().message });
  });

  test.each([
    ["oversized headers", "HPE_HEADER_OVERFLOW", `GET / HTTP/1.1\r\nX: ${"a".repeat(99)}`, 431],
    ["an overflow without a packet", "HPE_HEADER_OVERFLOW", undefined, 431],
    ["a timeout", "ERR_HTTP_REQUEST_TIMEOUT", undefined, 408],
    ["an invalid method", "HPE_INVALID_METHOD", "x", 400],
    ["an invalid version", "HPE_INVALID_VERSION", "x", 400],
    ["an invalid header", "HPE_INVALID_HEADER_TOKEN", "x", 400],
    ["an unknown error", "UNKNOWN", "x", 400],
    ["a reset connection", "ECONNRESET", undefined, undefined],
    ["a broken pipe", "EPIPE", undefined, undefined],
  ])("maps %s (%s, packet %j) to %s", (_name, code, packet, status) => {
    expect(clientErrorResponse(clientError(code, packet))?.status).toBe(status);
  });
});

describe("isHeadRequest", () => {
  const isHead = (packet: string, bytesParsed = packet.length) =>
    isHeadRequest(Object.assign(clientError("HPE_HEADER_OVERFLOW", packet), { bytesParsed }));

  test("returns true if the chunk starts with a HEAD request and parsing stopped before the end of its headers", () => {
    expect(isHead("HEAD /v1/certificates HTTP/1.1\r\nX: aaa")).toBe(true);
    expect(isHead("HEAD /v1/certificates?email=a b")).toBe(true);
    const invalid = "HEAD /v1/certificates?email=a b";
    expect(isHead(`${invalid}@c HTTP/1.1\r\nHost: edge\r\n\r\n`, invalid.length)).toBe(true);
  });

  test.each([
    ["another method", "GET / HTTP/1.1\r\nX: aaa"],
    ["a request after a HEAD request", "HEAD / HTTP/1.1\r\nHost: edge\r\n\r\nGET / HTTP/1.1\r\nX: aaa"],
    ["the middle of a request", "aaaaHEAD / HTTP/1.1"],
    ["an empty chunk", ""],
  ])("returns false for %s", (_name, packet) => {
    expect(isHead(packet)).toBe(false);
  });

  test("returns false when Node reports no chunk or no position", () => {
    expect(isHeadRequest(clientError("ERR_HTTP_REQUEST_TIMEOUT"))).toBe(false);
    expect(isHeadRequest(clientError("HPE_HEADER_OVERFLOW", "HEAD / HTTP/1.1\r\n"))).toBe(false);
  });
});
