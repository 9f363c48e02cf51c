import { describe, expect, test } from "vitest";
import { clientErrorResponse, isHeadRequest } from "./client-error.ts";
import { queryTooLong } from "./query-errors.ts";

const clientError = (code: string, packet?: string) =>
  Object.assign(new Error(code), {
    code,
    ...(packet === undefined ? {} : { rawPacket: Buffer.from(packet) }),
  });

describe("clientErrorResponse", () => {
  test("responds to an oversized request line with 400 and the message of a long query", () => {
    const response = clientErrorResponse(
      clientError("HPE_HEADER_OVERFLOW", `GET /v1/certificates?email=${"a".repeat(99)}`),
    );
    expect(response).toEqual({ status: 400, message: queryTooLong().message });
  });

  test("responds to oversized headers with 431", () => {
    const response = clientErrorResponse(
      clientError("HPE_HEADER_OVERFLOW", `GET / HTTP/1.1\r\nX: ${"a".repeat(99)}`),
    );
    expect(response?.status).toBe(431);
  });

  test("responds with 431 when Node reports no bytes", () => {
    expect(clientErrorResponse(clientError("HPE_HEADER_OVERFLOW"))?.status).toBe(431);
  });

  test("responds to a timeout with 408", () => {
    expect(clientErrorResponse(clientError("ERR_HTTP_REQUEST_TIMEOUT"))?.status).toBe(408);
  });

  test.each(["HPE_INVALID_METHOD", "HPE_INVALID_VERSION", "HPE_INVALID_HEADER_TOKEN", "UNKNOWN"])(
    "responds to %s with 400",
    (code) => {
      expect(clientErrorResponse(clientError(code, "x"))?.status).toBe(400);
    },
  );

  test.each(["ECONNRESET", "EPIPE"])("does not respond to a lost connection: %s", (code) => {
    expect(clientErrorResponse(clientError(code))).toBeUndefined();
  });
});

describe("isHeadRequest", () => {
  const isHead = (packet: string, bytesParsed = packet.length) =>
    isHeadRequest(Object.assign(clientError("HPE_HEADER_OVERFLOW", packet), { bytesParsed }));

  test("recognizes a HEAD whose head starts but does not end in the chunk", () => {
    expect(isHead("HEAD /v1/certificates HTTP/1.1\r\nX: aaa")).toBe(true);
    expect(isHead("HEAD /v1/certificates?email=a b")).toBe(true);
    const invalid = "HEAD /v1/certificates?email=a b";
    expect(isHead(`${invalid}@c HTTP/1.1\r\nHost: edge\r\n\r\n`, invalid.length)).toBe(true);
  });

  test.each([
    ["another method", "GET / HTTP/1.1\r\nX: aaa"],
    ["a request after a HEAD", "HEAD / HTTP/1.1\r\nHost: edge\r\n\r\nGET / HTTP/1.1\r\nX: aaa"],
    ["the middle of a request", "aaaaHEAD / HTTP/1.1"],
    ["an empty chunk", ""],
  ])("rejects %s", (_name, packet) => {
    expect(isHead(packet)).toBe(false);
  });

  test("returns false when Node reports no bytes or position", () => {
    expect(isHeadRequest(clientError("ERR_HTTP_REQUEST_TIMEOUT"))).toBe(false);
    expect(isHeadRequest(clientError("HPE_HEADER_OVERFLOW", "HEAD / HTTP/1.1\r\n"))).toBe(false);
  });
});
