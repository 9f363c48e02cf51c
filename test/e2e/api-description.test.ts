import { promisify } from "node:util";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { pino } from "pino";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { closeHttp, listenHttp } from "#shared/http/operations-server.ts";
import { generateApiKey } from "#shared/keys/api-key.ts";
import { systemClock } from "#shared/time/clock.ts";
import { createHttpServer } from "../../services/edge/http/http-server.ts";
import { openApiDocument } from "../../services/edge/openapi/document.ts";
import { apiErrors } from "../../services/edge/openapi/error-responses.ts";
import { exchange, type RawReply, request } from "../../services/edge/testing/raw-http.ts";
import { startEdge } from "../../services/edge/testing/start-edge.ts";
import { expectDescribed, objectAt } from "../harness/api-document.ts";
import { eventually } from "../harness/eventually.ts";
import { createExampleStore } from "../harness/example-store.ts";
import { inStore } from "../harness/in-store.ts";
import { pageSchema } from "../harness/list-client.ts";
import { createStoreClient, openProcessStack } from "../harness/stack/process-stack.ts";
import { createTestStore } from "../harness/test-stores.ts";

const list = "/v1/certificates";
const one = "/v1/certificates/{id}";
const unknownId = `crt_${"0".repeat(24)}`;
const description = "/v1/openapi.json";
const listen = "/v1/listen";
const bearer = (apiKey: string) => `Authorization: Bearer ${apiKey}`;

const stack = await openProcessStack();
const port = Number(new URL(stack.baseUrl).port);
const authorization = bearer(await createExampleStore(stack.connect));
const listener = stack.connect();
const { token } = await listener.admin.createListenToken({}, inStore(await createTestStore(listener)));
listener.close();
/** `<path> <status>` of each response that matched the OpenAPI document. */
const seen = new Set<string>();
/** Bodies of the responses that were checked. */
const bodies = new Set<string>();

/** Expects an error to have the code of its status, which the schema of errors leaves open. */
function expectCode({ status, body }: RawReply): void {
  const described = apiErrors.find((error) => error.status === status);
  if (described && body !== "") expect(JSON.parse(body)).toMatchObject({ error: described.code });
}

/** Expects a response to have this status and to match the OpenAPI document; records it in `seen`. */
function expectReply(reply: RawReply, path: string, method: "get" | "head" | "post", status: number): void {
  expect(reply.status, reply.body).toBe(status);
  expectDescribed(reply, ["paths", path, method, "responses", String(status)]);
  expectCode(reply);
  seen.add(`${path} ${status}`);
  bodies.add(reply.body);
}

/** Expects an error that the edge can send for any path; records it in `seen` for every path. */
function expectErrorAnywhere(reply: RawReply, status: number): void {
  expect(reply.status, reply.body).toBe(status);
  expectDescribed(reply, ["components", "responses", `Error${status}`]);
  expectCode(reply);
  for (const path of ["elsewhere", list, one, description, listen]) seen.add(`${path} ${status}`);
  bodies.add(reply.body);
}

test.each([
  "",
  "?limit=100",
  "?email=ada%40example.com",
  "?order=%231001",
  "?order=4500001",
  "?serial=42",
  "?status=revoked",
  "?status=expired&limit=1",
  "?updated_since=2999-01-01T00:00:00Z",
])("the OpenAPI document describes the responses to GET and HEAD with the query '%s'", async (query) => {
  const get = await request(port, `GET ${list}${query}`, [authorization]);
  expectReply(get, list, "get", 200);
  expectReply(await request(port, `HEAD ${list}${query}`, [authorization]), list, "head", 200);
});

test("the OpenAPI document describes the responses to requests for one certificate", async () => {
  const { body } = await request(port, `GET ${list}?limit=1`, [authorization]);
  const [certificate] = pageSchema.parse(JSON.parse(body)).certificates;
  const withoutPlan = await createStoreClient(stack, { plan: Plan.BASIC });
  for (const method of ["get", "head"] as const) {
    const ask = (id: string, ...headers: string[]) => request(port, `${method.toUpperCase()} ${list}/${id}`, headers);
    expectReply(await ask(certificate?.id ?? "", authorization), one, method, 200);
    expectReply(await ask(unknownId, authorization), one, method, 404);
    expectReply(await ask("no-id", authorization), one, method, 404);
    expectReply(await ask(`${unknownId}?limit=1`, authorization), one, method, 400);
    expectReply(await ask(unknownId), one, method, 401);
    expectReply(await ask(unknownId, bearer(generateApiKey())), one, method, 401);
    expectReply(await ask(unknownId, bearer(withoutPlan.apiKey)), one, method, 403);
  }
});

test.each<[string, string[]]>([
  ["an invalid parameter", []],
  ["a second Host header", ["Host: other"]],
])("the OpenAPI document describes the 400 response to %s", async (_name, headers) => {
  const line = headers.length === 0 ? `${list}?limit=0` : list;
  expectReply(await request(port, `GET ${line}`, [authorization, ...headers]), list, "get", 400);
  expectReply(await request(port, `HEAD ${line}`, [authorization, ...headers]), list, "head", 400);
});

test("the OpenAPI document describes the responses to a missing key, an unknown key and a key of a store without the Pro plan", async () => {
  const { apiKey } = await createStoreClient(stack, { plan: Plan.BASIC });
  for (const method of ["get", "head"] as const) {
    const ask = (...headers: string[]) => request(port, `${method.toUpperCase()} ${list}`, headers);
    expectReply(await ask(), list, method, 401);
    expectReply(await ask(bearer(generateApiKey())), list, method, 401);
    expectReply(await ask(bearer(apiKey)), list, method, 403);
  }
});

test("the OpenAPI document describes the 429 response to a store over its rate limit", async () => {
  const { apiKey } = await createStoreClient(stack);
  const ask = (method: string, below = "") => request(port, `${method} ${list}${below}`, [bearer(apiKey)]);
  // Makes the key known to the edge, which limits the look-ups of unknown keys.
  expectReply(await ask("GET"), list, "get", 200);
  const burst = await Promise.all(Array.from({ length: 119 }, () => ask("GET")));
  expect(burst.map(({ status }) => status).filter((status) => status !== 200 && status !== 503)).toEqual([]);
  // Repeated, because a busy machine may have shed some of them, which take no place.
  const refused = await eventually(async () => {
    const reply = await ask("GET");
    expect(reply.status).toBe(429);
    return reply;
  });
  expectReply(refused, list, "get", 429);
  const head = await ask("HEAD");
  expectReply(head, list, "head", 429);
  for (const method of ["get", "head"] as const)
    expectReply(await ask(method.toUpperCase(), `/${unknownId}`), one, method, 429);
  expect(head.headers).toMatchObject({
    ratelimit: expect.anything(),
    "ratelimit-policy": '"default";q=120;w=60',
  });
});

test("the OpenAPI document describes the responses to HTTP protocol errors", async () => {
  for (const method of ["get", "head"] as const) {
    const ask = (path: string, header: string) => request(port, `${method.toUpperCase()} ${path}`, [header]);
    for (const path of [list, one, description, ...(method === "get" ? [listen] : [])]) {
      const target = path.replace("{id}", unknownId);
      expectReply(await ask(target, "Expect: tea"), path, method, 417);
      expectReply(await ask(target, "Host: other"), path, method, 400);
      expectReply(await ask(target, `X-Large: ${"a".repeat(20_000)}`), path, method, 431);
    }
  }
  expectErrorAnywhere(await request(port, "GET /elsewhere", [`X-Large: ${"a".repeat(20_000)}`]), 431);
});

test("the OpenAPI document describes the 408 response to an incomplete request", async () => {
  const server = createHttpServer({
    handler: () => undefined,
    logger: pino({ level: "silent" }),
    clock: systemClock,
    timeouts: { headersMs: 200, requestMs: 300, responseMs: 5_000, keepAliveMs: 5_000, checkEveryMs: 50 },
    connections: { total: 10, perAddress: 10 },
    trustedProxies: [],
    metrics: new Registry(),
  });
  const slowPort = await listenHttp(server, "127.0.0.1", 0);
  const { replies } = await exchange(slowPort, `GET ${list} HTTP/1.1\r\n`).finally(() => closeHttp(server, 500));
  expect(replies).toHaveLength(1);
  for (const reply of replies) expectErrorAnywhere(reply, 408);
});

test("the OpenAPI document describes the responses to unknown paths and unsupported methods", async () => {
  for (const path of [list, `${list}/${unknownId}`, description, listen])
    expectErrorAnywhere(await request(port, `DELETE ${path}`, [authorization]), 405);
  expectErrorAnywhere(await request(port, "CONNECT api.example:443"), 405);
  expectErrorAnywhere(await request(port, "GET /v1/certificate", [authorization]), 404);
});

test("the OpenAPI document describes the 503 and 500 responses to requests whose registry call fails", async () => {
  const disconnected = await startEdge();
  // A gRPC server without the registry's services, like a registry that is older than the edge.
  const foreignServer = new Server();
  const bind = promisify(foreignServer.bindAsync.bind(foreignServer));
  const foreignPort = await bind("127.0.0.1:0", ServerCredentials.createInsecure());
  const misdirected = await startEdge({ registryAddress: `127.0.0.1:${foreignPort}` });
  try {
    for (const method of ["get", "head"] as const) {
      for (const path of [list, one]) {
        const line = `${method.toUpperCase()} ${path.replace("{id}", unknownId)}`;
        expectReply(await request(disconnected.port, line, [authorization]), path, method, 503);
        expectReply(await request(misdirected.port, line, [authorization]), path, method, 500);
      }
    }
    const line = `GET ${listen}`;
    expectReply(await request(disconnected.port, line, [bearer(token)]), listen, "get", 503);
    expectReply(await request(misdirected.port, line, [bearer(token)]), listen, "get", 500);
  } finally {
    await Promise.all([disconnected.stop(), misdirected.stop()]);
    foreignServer.forceShutdown();
  }
});

test("the OpenAPI document describes the responses to requests of developers who listen", async () => {
  const ask = (line: string, ...headers: string[]) => request(port, line, headers);
  expectReply(await ask(`GET ${listen}`, bearer(token)), listen, "get", 200);
  expectReply(await ask(`POST ${listen}?event=revoked`, bearer(token)), listen, "post", 202);
  const messages = await ask(`GET ${listen}?after=0`, bearer(token));
  expect(JSON.parse(messages.body)).toMatchObject({ messages: [expect.anything()] });
  expectReply(messages, listen, "get", 200);
  expectReply(await ask(`GET ${listen}?after=-1`, bearer(token)), listen, "get", 400);
  expectReply(await ask(`POST ${listen}?event=sold`, bearer(token)), listen, "post", 400);
  expectReply(await ask(`GET ${listen}`), listen, "get", 401);
  expectReply(await ask(`POST ${listen}?event=issued`), listen, "post", 401);
  const many = await Promise.all(Array.from({ length: 60 }, () => ask(`GET ${listen}`, bearer(token))));
  const refused = many.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  for (const reply of refused) expectReply(reply, listen, "get", 429);
});

test("the OpenAPI document describes the responses to requests for the document itself, including 304 for a matching If-None-Match", async () => {
  const get = await request(port, `GET ${description}`);
  expectReply(get, description, "get", 200);
  expectReply(await request(port, `HEAD ${description}`), description, "head", 200);
  const again = await request(port, `GET ${description}`, [`If-None-Match: ${get.headers.etag}`]);
  expectReply(again, description, "get", 304);
  expect(JSON.parse(get.body)).toEqual(openApiDocument);
});

test("the OpenAPI document describes the 429 response to a flood of unknown keys", async () => {
  const ask = () => request(port, `GET ${list}`, [bearer(generateApiKey())]);
  const replies = await Promise.all(Array.from({ length: 300 }, ask));
  const refused = replies.filter(({ status }) => status !== 401);
  expect(refused.length).toBeGreaterThan(0);
  for (const reply of refused) expectReply(reply, list, "get", 429);
});

test("the tests above have received every status that the OpenAPI document describes", () => {
  for (const path of Object.keys(objectAt(["paths"])))
    for (const status of Object.keys(objectAt(["paths", path, "get", "responses"])))
      expect(seen).toContain(`${path} ${status}`);
  const described = Object.keys(objectAt(["components", "responses"])).map((name) => name.replace("Error", ""));
  const statuses = new Set([...seen].map((reply) => reply.split(" ")[1]));
  expect([...statuses].sort()).toEqual(["200", "202", "304", ...described].sort());
});

test.each(apiErrors)("the example of the $status response is the body of a real response", ({ code, message }) => {
  expect([...bodies]).toContain(JSON.stringify({ error: code, message }));
});
