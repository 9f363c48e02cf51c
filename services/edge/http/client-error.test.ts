import { describe, expect, test } from "vitest";
import { answerClientError, isAboutHead } from "./client-error.ts";
import { queryTooLong } from "./query-refusals.ts";

const clientError = (code: string, packet?: string) =>
  Object.assign(new Error(code), {
    code,
    ...(packet === undefined ? {} : { rawPacket: Buffer.from(packet) }),
  });

describe("what cannot be read as a request is answered", () => {
  test("with 400 and the message of a long query when not even the request line fits", () => {
    const answer = answerClientError(
      clientError("HPE_HEADER_OVERFLOW", `GET /v1/certificates?email=${"a".repeat(99)}`),
    );
    expect(answer).toEqual({ status: 400, message: queryTooLong().message });
  });

  test("with 431 when the headers do not fit", () => {
    const answer = answerClientError(
      clientError("HPE_HEADER_OVERFLOW", `GET / HTTP/1.1\r\nX: ${"a".repeat(99)}`),
    );
    expect(answer?.status).toBe(431);
  });

  test("with 431 when Node does not say what it read", () => {
    expect(answerClientError(clientError("HPE_HEADER_OVERFLOW"))?.status).toBe(431);
  });

  test("with 408 when it did not arrive in time", () => {
    expect(answerClientError(clientError("ERR_HTTP_REQUEST_TIMEOUT"))?.status).toBe(408);
  });

  test.each(["HPE_INVALID_METHOD", "HPE_INVALID_VERSION", "HPE_INVALID_HEADER_TOKEN", "anything else"])(
    "with 400 for %s",
    (code) => {
      expect(answerClientError(clientError(code, "x"))?.status).toBe(400);
    },
  );

  test.each(["ECONNRESET", "EPIPE"])("not at all when the client is gone: %s", (code) => {
    expect(answerClientError(clientError(code))).toBeUndefined();
  });
});

describe("what cannot be read is a HEAD", () => {
  const isHead = (packet: string, bytesParsed = packet.length) =>
    isAboutHead(Object.assign(clientError("HPE_HEADER_OVERFLOW", packet), { bytesParsed }));

  test("when the bytes at hand begin with one and its head has not ended", () => {
    expect(isHead("HEAD /v1/certificates HTTP/1.1\r\nX: aaa")).toBe(true);
    expect(isHead("HEAD /v1/certificates?email=a b")).toBe(true);
    const wrong = "HEAD /v1/certificates?email=a b";
    expect(isHead(`${wrong}@c HTTP/1.1\r\nHost: edge\r\n\r\n`, wrong.length)).toBe(true);
  });

  test.each([
    ["another method", "GET / HTTP/1.1\r\nX: aaa"],
    ["a request after a HEAD", "HEAD / HTTP/1.1\r\nHost: edge\r\n\r\nGET / HTTP/1.1\r\nX: aaa"],
    ["the middle of a request", "aaaaHEAD / HTTP/1.1"],
    ["nothing", ""],
  ])("not when they are %s", (_name, packet) => {
    expect(isHead(packet)).toBe(false);
  });

  test("not when Node does not say what it read", () => {
    expect(isAboutHead(clientError("ERR_HTTP_REQUEST_TIMEOUT"))).toBe(false);
    expect(isAboutHead(clientError("HPE_HEADER_OVERFLOW", "HEAD / HTTP/1.1\r\n"))).toBe(false);
  });
});
