import { once } from "node:events";
import { request } from "node:http";
import { Registry } from "prom-client";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { discardedBodyBytesMax } from "#shared/http/discard-body.ts";
import { closeHttp, listenHttp } from "#shared/http/operations-server.ts";
import { createLogger } from "#shared/observe/logger.ts";
import { systemClock } from "#shared/time/clock.ts";
import { closingRequest, exchange, listHead } from "../testing/raw-http.ts";
import { openTestEdge } from "../testing/start-edge.ts";
import { createHttpServer } from "./http-server.ts";
import { queryTooLong } from "./query-errors.ts";

const edge = await openTestEdge();

const complete = `${listHead}\r\n`;

async function refusalOf(...chunks: readonly (string | Buffer)[]) {
  const { replies, error } = await exchange(edge.port, ...chunks);
  expect(error).toBeUndefined();
  expect(replies).toHaveLength(1);
  const [reply] = replies;
  if (reply === undefined) throw new Error("no reply");
  expect(reply.headers).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    connection: "close",
    date: expect.stringMatching(/GMT$/),
    "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  const document = JSON.parse(reply.body);
  expect(Object.keys(document)).toEqual(["error", "message"]);
  return { status: reply.status, ...document } as { status: number; error: string; message: string };
}

describe("a malformed request", () => {
  test("gets 400 for a query of 1 MB, and the response arrives without a connection reset", async () => {
    for (let round = 0; round < 5; round++) {
      const query = "a".repeat(1_000_000);
      const refusal = await refusalOf(`GET /v1/certificates?email=${query} HTTP/1.1\r\nHost: edge\r\n\r\n`);
      expect(refusal).toEqual({ status: 400, error: "bad_request", message: queryTooLong().message });
    }
  });

  test("gets 400 for a long query that arrives in several chunks", async () => {
    const pieces = Array.from({ length: 12 }, () => "a".repeat(2_000));
    const end = " HTTP/1.1\r\nHost: edge\r\n\r\n";
    const refusal = await refusalOf("GET /v1/certificates?email=", ...pieces, end);
    expect(refusal).toMatchObject({ status: 400, message: queryTooLong().message });
  });

  test.each([
    ["an unencoded space", "GET /v1/certificates?limit=5&email=a b@c HTTP/1.1\r\nHost: edge\r\n\r\n"],
    ["unencoded non-ASCII bytes", "GET /v1/certificates?limit=5&email=jörg@c HTTP/1.1\r\nHost: edge\r\n\r\n"],
    ["an unencoded control character", "GET /v1/certificates?limit=5&email=a\u0001 HTTP/1.1\r\nHost: edge\r\n\r\n"],
  ])("gets 400 naming the parameter that contains %s", async (_name, bytes) => {
    const refusal = await refusalOf(bytes);
    expect(refusal).toMatchObject({ status: 400, error: "bad_request" });
    expect(refusal.message).toMatch(/^email contains an unencoded character/);
  });

  test("gets 431 for oversized headers", async () => {
    const refusal = await refusalOf(`${listHead}X-Big: ${"a".repeat(20_000)}\r\n\r\n`);
    expect(refusal).toMatchObject({ status: 431, error: "bad_request" });
  });

  test.each([
    [431, "has oversized headers", `X-Big: ${"a".repeat(20_000)}\r\n`],
    [400, "has an invalid header", ": nothing\r\n"],
  ])("gets %i without a body if it is a HEAD request and %s", async (status, _why, header) => {
    const head = listHead.replace("GET", "HEAD");
    const { replies, text, error } = await exchange(edge.port, `${head}${header}\r\n`);
    expect(error).toBeUndefined();
    expect(replies.map((reply) => reply.status)).toEqual([status]);
    expect(replies[0]?.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(text.split("\r\n\r\n")).toEqual([expect.anything(), ""]);
  });

  test.each([
    ["text that is not HTTP", "hello\r\n\r\n"],
    ["a TLS ClientHello", Buffer.from("16030100c8010000c4", "hex")],
    ["an unknown method", "BREW /v1/certificates HTTP/1.1\r\nHost: edge\r\n\r\n"],
    ["an unsupported HTTP version", "GET /v1/certificates HTTP/3.0\r\nHost: edge\r\n\r\n"],
    ["an invalid header", `${listHead}: nothing\r\n\r\n`],
    ["a header with a control character", `${listHead}X: a\u0001b\r\n\r\n`],
    ["two Content-Length headers", `${listHead}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`],
    [
      "Content-Length with chunked encoding",
      `${listHead}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ["an invalid chunked body", `${listHead}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
    ["a missing Host", "GET /v1/certificates HTTP/1.1\r\nConnection: close\r\n\r\n"],
  ])("gets 400 for %s", async (_name, bytes) => {
    expect(await refusalOf(bytes)).toMatchObject({ status: 400, error: "bad_request" });
  });

  test("is answered after the valid requests that precede it", async () => {
    const { replies } = await exchange(edge.port, complete, complete, "garbage\r\n\r\n");
    expect(replies.map((reply) => reply.status)).toEqual([401, 401, 400]);
  });
});

describe("a request body", () => {
  test("is discarded, and the next request on the connection is answered", async () => {
    const body = "x".repeat(100_000);
    const first = `${listHead}Content-Length: ${body.length}\r\n\r\n${body}`;
    const { replies } = await exchange(edge.port, first + closingRequest);
    expect(replies.map((reply) => reply.status)).toEqual([401, 401]);
  });

  test("of a POST outside the API is requested from a client that sends Expect: 100-continue", async () => {
    const headers = { Expect: "100-continue", "Content-Length": 5 };
    const sent = request({ port: edge.port, path: "/settings/sign-in", method: "POST", headers });
    onTestFinished(() => void sent.destroy());
    sent.on("error", () => undefined);
    const response = once(sent, "response");
    sent.flushHeaders();
    await once(sent, "continue");
    sent.end("hello");
    expect(await response).toMatchObject([{ statusCode: 400 }]);
  });

  test("for the API is not requested from a client that sends Expect: 100-continue", async () => {
    const head = `${listHead}Expect: 100-continue\r\nContent-Length: 5\r\n\r\n`;
    const { replies } = await exchange(edge.port, head);
    expect(replies.map((reply) => reply.status)).toEqual([401]);
  });

  test("that exceeds the limit makes the server close the connection after the response", async () => {
    const head = `${listHead}Content-Length: ${discardedBodyBytesMax * 10}\r\n\r\n`;
    const pieces = Array.from({ length: 20 }, () => Buffer.alloc(discardedBodyBytesMax));
    const { replies } = await exchange(edge.port, head, ...pieces);
    expect(replies.map((reply) => reply.status)).toEqual([401]);
  });
});

describe("a connection", () => {
  test("remains open for the next request", async () => {
    const { replies } = await exchange(edge.port, complete, closingRequest);
    expect(replies.map(({ headers: { connection } }) => connection)).toEqual(["keep-alive", "close"]);
  });

  test("accepts an HTTP/1.0 request without a Host header", async () => {
    const { replies } = await exchange(edge.port, "GET /v1/certificates HTTP/1.0\r\n\r\n");
    expect(replies[0]?.status).toBe(401);
  });
});

describe("a client that exceeds a timeout", async () => {
  const server = createHttpServer({
    handler: (_request, response) => response.writeHead(204).end(),
    logger: createLogger("edge", "silent"),
    clock: systemClock,
    timeouts: { headersMs: 200, requestMs: 400, responseMs: 5_000, keepAliveMs: 1_000, checkEveryMs: 50 },
    connections: { total: 100, perAddress: 100 },
    trustedProxies: [],
    metrics: new Registry(),
  });
  const port = await listenHttp(server, "127.0.0.1", 0);
  afterAll(() => closeHttp(server, 1_000));

  test.each([
    ["nothing", ""],
    ["only half a request line", "GET /v1/cert"],
    ["only half of its headers", listHead],
  ])("gets 408 if it sends %s", async (_name, bytes) => {
    const { replies, error } = await exchange(port, bytes);
    expect(error).toBeUndefined();
    expect(replies.map(({ status }) => status)).toEqual([408]);
    expect(JSON.parse(replies[0]?.body ?? "")).toMatchObject({ error: "bad_request" });
  });

  test("gets no second response if the body of a request that was already answered never arrives", async () => {
    const { replies } = await exchange(port, `${listHead}Content-Length: 10\r\n\r\nhalf`);
    expect(replies.map(({ status }) => status)).toEqual([204]);
  });
});
