import { describe, expect, test } from "vitest";
import { generateApiKey } from "#shared/keys/api-key.ts";
import { type RawReply, request } from "./testing/raw-http.ts";
import { openTestEdge } from "./testing/start-edge.ts";

const edge = await openTestEdge();

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

describe("a request for an unknown path", () => {
  const paths = `/ /v1 /v1/certificates/ /v1/certificates// /v1/certificates/1/ /V1/certificates /v1/Certificates //v1/certificates
    /v1//certificates /v1/./certificates /v1/certificates/1/verify /V1/certificates/1 /v1/%63ertificates/1 /v1/certificates%zz /v1/certificates%3Flimit=5 /v1/%63ertificates
    /v1/certificates#x /%00 /%C3 /${"a".repeat(4_000)} * http://[::1 coap://[::1/x http://api.example:99999/x`;

  test.each(paths.split(/\s+/))("gets 404 without a key: %s", async (target) => {
    expectErrorDocument(await request(edge.port, `GET ${target}`), 404, "not_found");
  });

  test("gets 404 for a method other than GET", async () => {
    expectErrorDocument(await request(edge.port, "DELETE /v1/stores"), 404, "not_found");
  });
});

describe.each([path, `${path}/crt_${"0".repeat(24)}`])("%s", (target) => {
  test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY"])(
    "responds to %s with 405 even without a key",
    async (method) => {
      const reply = await request(edge.port, `${method} ${target}`);
      expectErrorDocument(reply, 405, "method_not_allowed");
      expect(reply.headers).toMatchObject({ allow: "GET, HEAD" });
    },
  );

  test("responds to CONNECT with 405", async () => {
    const reply = await request(edge.port, "CONNECT api.example:443");
    expectErrorDocument(reply, 405, "method_not_allowed");
    expect(reply.headers).toMatchObject({ allow: "GET, HEAD" });
  });

  test("accepts a request target in absolute form", async () => {
    const reply = await request(edge.port, `GET http://api.example${target}?limit=5`);
    expectErrorDocument(reply, 401, "unauthorized");
  });

  test("ignores an Upgrade header", async () => {
    const reply = await request(edge.port, `GET ${target}`, ["Upgrade: h2c", "Connection: Upgrade"]);
    expectErrorDocument(reply, 401, "unauthorized");
  });
});

describe("a path below /v1/certificates", () => {
  const segments = `1 . .. ... %2e%2e %00 %C3 %zz %2F a%2Fb a;b=c #x * $ne __proto__ ada@example.com
    crt_${"0".repeat(24)}%00 ${"a".repeat(8_000)}`;

  test.each(segments.split(/\s+/))("gets 401 without a key, whatever it is: %s", async (segment) => {
    expectErrorDocument(await request(edge.port, `GET ${path}/${segment}`), 401, "unauthorized");
  });

  test("gets 503 while the registry is unavailable, because the id is looked at only after the admission", async () => {
    for (const segment of ["x", `crt_${"0".repeat(24)}`, "x?limit=1"])
      expectErrorDocument(await request(edge.port, `GET ${path}/${segment}`, [authorization]), 503, "unavailable");
  });
});

describe("a request without exactly one well-formed key", () => {
  test.each<[string, string[]]>([
    ["no header", []],
    ["another scheme", ["Authorization: Basic YTpi"]],
    ["no key", ["Authorization: Bearer"]],
    ["a key with a wrong checksum", [`${authorization}x`]],
    ["two headers", [authorization, authorization]],
  ])("gets 401 even while the registry is unavailable: %s", async (_name, headers) => {
    const reply = await request(edge.port, `GET ${path}`, headers);
    expectErrorDocument(reply, 401, "unauthorized");
    expect(reply.headers["www-authenticate"]).toBe("Bearer");
    expect(reply.headers).not.toHaveProperty("ratelimit");
  });

  test("gets 401 even if its query is invalid", async () => {
    expectErrorDocument(await request(edge.port, `GET ${path}?limit=0&%zz`), 401, "unauthorized");
  });

  test("gets the same headers for HEAD as for GET, without a body", async () => {
    const get = await request(edge.port, `GET ${path}`);
    const head = await request(edge.port, `HEAD ${path}`);
    const { "x-request-id": _one, date: _then, ...expected } = get.headers;
    expect(head).toMatchObject({ status: 401, body: "", headers: expected });
    expect(Number(head.headers["content-length"])).toBe(Buffer.byteLength(get.body));
  });
});

describe("a request while the registry is unavailable", () => {
  test("gets 503 with Retry-After and no internal address", async () => {
    const reply = await request(edge.port, `GET ${path}`, [authorization]);
    expectErrorDocument(reply, 503, "unavailable");
    expect(reply.headers["retry-after"]).toMatch(/^[1-5]$/);
    expect(reply.body).not.toContain("127.0.0.1");
  });

  test("gets 503 even if its query is invalid, because the query is checked only after admission", async () => {
    expectErrorDocument(await request(edge.port, `GET ${path}?limit=0`, [authorization]), 503, "unavailable");
  });
});

describe("a request with an unacceptable header", () => {
  test.each([
    [417, "an Expect header other than 100-continue", "Expect: tea"],
    [400, "a second Host header", "Host: other"],
  ])("gets %i for %s", async (status, _name, header) => {
    expectErrorDocument(await request(edge.port, `GET ${path}`, [header]), status, "bad_request");
  });
});

const logLineOf = (reply: RawReply) => edge.log.find(({ requestId }) => requestId === reply.headers["x-request-id"]);

describe("the request log", () => {
  test("identifies a request by a generated id, never by the id that the client sent", async () => {
    const reply = await request(edge.port, `GET ${path}`, ["X-Request-Id: mine"]);
    expect(reply.headers["x-request-id"]).not.toBe("mine");
    const expected = { method: "GET", route: path, status: 401, error: "unauthorized", ms: expect.any(Number) };
    expect(logLineOf(reply)).toMatchObject(expected);
  });

  test("contains neither the key nor the query, even if the path contains them", async () => {
    const key = generateApiKey();
    await request(edge.port, `GET ${path}?email=ada%40example.com`, [`Authorization: Bearer ${key}`]);
    await request(edge.port, `GET ${path}%3Femail=ada@example.com`, [`Authorization: Bearer ${key}`]);
    await request(edge.port, `GET /v1/${key}/ada@example.com`);
    await request(edge.port, `GET ${path}/ada@example.com?${key}`);
    await request(edge.port, `GET ${path}/${key}`, [`Authorization: Bearer ${key}`]);
    const logged = JSON.stringify(edge.log);
    expect(logged).not.toContain(key);
    expect(logged).not.toMatch(/example\.com/);
  });

  test("states the reason for a 503", async () => {
    const reply = await request(edge.port, `GET ${path}`, [authorization]);
    // If another channel of this process has already failed to connect to this address, gRPC does not report the cause.
    const reason = expect.stringMatching(/ECONNREFUSED|No connection established/);
    const expected = { level: 40, status: 503, reason };
    expect(logLineOf(reply)).toMatchObject(expected);
  });
});

describe("the request metrics", () => {
  test("count requests by route, method and status, with one route for all unknown paths", async () => {
    await request(edge.port, "GET /never-heard-of");
    await request(edge.port, `GET ${path}`);
    await request(edge.port, `GET ${path}/never-heard-of`);
    const response = await fetch(`http://127.0.0.1:${edge.operationsPort}/metrics`);
    const text = await response.text();
    const name = "edge_http_request_duration_seconds_count";
    expect(text).toContain(`${name}{route="none",method="GET",status="404"}`);
    expect(text).toContain(`${name}{route="/v1/certificates",method="GET",status="401"}`);
    expect(text).toContain(`${name}{route="/v1/certificates/:id",method="GET",status="401"}`);
    expect(text).not.toContain("never-heard-of");
  });

  test("count the methods that no route has as one, so that clients cannot create series", async () => {
    for (const method of ["DELETE", "OPTIONS", "PROPFIND"]) await request(edge.port, `${method} ${path}`);
    await request(edge.port, "POST /never-heard-of");
    await request(edge.port, `HEAD ${path}`);
    const text = await (await fetch(`http://127.0.0.1:${edge.operationsPort}/metrics`)).text();
    const methods = text.matchAll(/^edge_http_request_duration_seconds_count\{.*method="([^"]*)"/gm);
    expect(new Set([...methods].map(([, method]) => method))).toEqual(new Set(["GET", "HEAD", "POST", "other"]));
  });

  test.each([
    ["edge_bad_keys_total", "how", ["looked_up", "remembered", "limited"]],
    ["edge_plan_refusals_total", "how", ["looked_up", "limited"]],
    ["edge_shed_requests_total", "why", ["key", "total"]],
    ["edge_connections_closed_total", "why", ["over_limit", "pipelined"]],
  ])("contain every series of %s from the start", async (name, label, values) => {
    const text = await (await fetch(`http://127.0.0.1:${edge.operationsPort}/metrics`)).text();
    for (const value of values) expect(text).toContain(`${name}{${label}="${value}"}`);
  });
});
