import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateApiKey } from "#shared/keys/api-key.ts";
import { type RawReply, request } from "./testing/raw-http.ts";
import { startEdge, type TestEdge } from "./testing/start-edge.ts";

let edge: TestEdge;
beforeAll(async () => {
  edge = await startEdge();
});
afterAll(() => edge.stop());

const path = "/v1/certificates";
const authorization = `Authorization: Bearer ${generateApiKey()}`;

function expectErrorDocument(reply: RawReply, status: number, error: string): void {
  expect(reply.status).toBe(status);
  expect(reply.headers).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  const document = JSON.parse(reply.body);
  expect(Object.keys(document)).toEqual(["error", "message"]);
  expect(document.error).toBe(error);
  expect(document.message).toMatch(/\.$/);
}

describe("a path that is none of ours", () => {
  test.each([
    "/",
    "/v1",
    "/v1/certificates/",
    "/v1/certificates/1",
    "/V1/certificates",
    "/v1/Certificates",
    "//v1/certificates",
    "/v1//certificates",
    "/v1/certificates%zz",
    "/v1/certificates%3Flimit=5",
    "/v1/%63ertificates",
    "/v1/./certificates",
    "/%00",
    "/%C3",
    "*",
    "http://[::1",
    "coap://[::1/x",
    "/v1/certificates#x",
    "http://api.example:99999/x",
    `/${"a".repeat(4_000)}`,
  ])("is 404, without a key, for anything that can be sent: %s", async (target) => {
    expectErrorDocument(await request(edge.port, `GET ${target}`), 404, "not_found");
  });

  test("is 404 with any method", async () => {
    expectErrorDocument(await request(edge.port, "DELETE /v1/stores"), 404, "not_found");
  });
});

describe("the certificates' path", () => {
  test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY"])(
    "answers %s with 405, without a key",
    async (method) => {
      const reply = await request(edge.port, `${method} ${path}`);
      expectErrorDocument(reply, 405, "method_not_allowed");
      expect(reply.headers).toMatchObject({ allow: "GET, HEAD" });
    },
  );

  test("answers CONNECT with 405", async () => {
    const reply = await request(edge.port, "CONNECT api.example:443");
    expectErrorDocument(reply, 405, "method_not_allowed");
    expect(reply.headers).toMatchObject({ allow: "GET, HEAD" });
  });

  test("is also found in absolute form", async () => {
    expectErrorDocument(
      await request(edge.port, `GET http://api.example${path}?limit=5`),
      401,
      "unauthorized",
    );
  });

  test("ignores an offer to upgrade the protocol", async () => {
    const reply = await request(edge.port, `GET ${path}`, ["Upgrade: h2c", "Connection: Upgrade"]);
    expectErrorDocument(reply, 401, "unauthorized");
  });
});

describe("a request without a key that can be one", () => {
  test.each<[string, string[]]>([
    ["no header", []],
    ["another scheme", ["Authorization: Basic YTpi"]],
    ["no key", ["Authorization: Bearer"]],
    ["a key with a wrong checksum", [`${authorization}x`]],
    ["two headers", [authorization, authorization]],
  ])("is 401 although the registry is away: %s", async (_name, headers) => {
    const reply = await request(edge.port, `GET ${path}`, headers);
    expectErrorDocument(reply, 401, "unauthorized");
    expect(reply.headers["www-authenticate"]).toBe("Bearer");
    expect(reply.headers).not.toHaveProperty("ratelimit");
  });

  test("is 401 before its query is looked at", async () => {
    expectErrorDocument(await request(edge.port, `GET ${path}?limit=0&%zz`), 401, "unauthorized");
  });

  test("is answered to HEAD with the same headers and no body", async () => {
    const get = await request(edge.port, `GET ${path}`);
    const head = await request(edge.port, `HEAD ${path}`);
    const { "x-request-id": _one, date: _then, ...expected } = get.headers;
    expect(head).toMatchObject({ status: 401, body: "", headers: expected });
    expect(Number(head.headers["content-length"])).toBe(Buffer.byteLength(get.body));
  });
});

describe("a request while the registry is away", () => {
  test("is 503, says when to come back, and shows no address", async () => {
    const reply = await request(edge.port, `GET ${path}`, [authorization]);
    expectErrorDocument(reply, 503, "unavailable");
    expect(reply.headers["retry-after"]).toBe("1");
    expect(reply.body).not.toContain("127.0.0.1");
  });

  test("is 503 also when its query is not valid: admission comes first", async () => {
    expectErrorDocument(await request(edge.port, `GET ${path}?limit=0`, [authorization]), 503, "unavailable");
  });
});

describe("a request that HTTP forbids", () => {
  test("is 417 when it expects anything but 100-continue", async () => {
    expectErrorDocument(await request(edge.port, `GET ${path}`, ["Expect: tea"]), 417, "bad_request");
  });

  test("is 400 with a second Host", async () => {
    expectErrorDocument(await request(edge.port, `GET ${path}`, ["Host: other"]), 400, "bad_request");
  });
});

const lineOf = (reply: RawReply) =>
  edge.log.find(({ requestId }) => requestId === reply.headers["x-request-id"]);

describe("what is told about a request", () => {
  test("is an id of its own, never one from outside", async () => {
    const reply = await request(edge.port, `GET ${path}`, ["X-Request-Id: mine"]);
    expect(reply.headers["x-request-id"]).not.toBe("mine");
    const line = lineOf(reply);
    expect(line).toMatchObject({
      method: "GET",
      path,
      status: 401,
      error: "unauthorized",
      ms: expect.any(Number),
    });
  });

  test("holds neither the key nor the query, wherever they stand", async () => {
    const key = generateApiKey();
    await request(edge.port, `GET ${path}?email=ada%40example.com`, [`Authorization: Bearer ${key}`]);
    await request(edge.port, `GET ${path}%3Femail=ada@example.com`, [`Authorization: Bearer ${key}`]);
    await request(edge.port, `GET /v1/${key}/ada@example.com`);
    const written = JSON.stringify(edge.log);
    expect(written).not.toContain(key);
    expect(written).not.toMatch(/example\.com/);
  });

  test("is the reason of a 503, for the log alone", async () => {
    const reply = await request(edge.port, `GET ${path}`, [authorization]);
    const line = lineOf(reply);
    expect(line).toMatchObject({ level: 40, status: 503, reason: expect.stringContaining("ECONNREFUSED") });
  });

  test("is measured by route, method and status; unknown paths are one route", async () => {
    await request(edge.port, "GET /never-heard-of");
    await request(edge.port, `GET ${path}`);
    const response = await fetch(`http://127.0.0.1:${edge.operationsPort}/metrics`);
    const text = await response.text();
    const name = "edge_http_request_duration_seconds_count";
    expect(text).toContain(`${name}{route="none",method="GET",status="404"}`);
    expect(text).toContain(`${name}{route="/v1/certificates",method="GET",status="401"}`);
    expect(text).not.toContain("never-heard-of");
  });
});
