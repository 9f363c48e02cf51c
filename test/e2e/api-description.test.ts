import { promisify } from "node:util";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { pino } from "pino";
import { Registry } from "prom-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { closeHttp, listenHttp } from "#shared/http/operations-server.ts";
import { generateApiKey } from "#shared/keys/api-key.ts";
import { systemClock } from "#shared/time/clock.ts";
import { createHttpServer } from "../../services/edge/http/http-server.ts";
import { openApiDocument } from "../../services/edge/openapi/document.ts";
import { exchange, type RawReply, request } from "../../services/edge/testing/raw-http.ts";
import { startEdge } from "../../services/edge/testing/start-edge.ts";
import { expectDescribed, objectAt } from "../harness/api-document.ts";
import { createExampleStore } from "../harness/example-store.ts";
import { type ProcessStack, startProcessStack } from "../harness/stack/process-stack.ts";
import { createTestStore } from "../harness/test-stores.ts";

const list = "/v1/certificates";
const description = "/v1/openapi.json";
let stack: ProcessStack;
let port: number;
let authorization: string;
/** Path and status of replies that were as described. */
const seen = new Set<string>();

beforeAll(async () => {
  stack = await startProcessStack();
  port = Number(new URL(stack.baseUrl).port);
  authorization = bearer(await createExampleStore(stack.registryAddress));
});
afterAll(() => stack?.stop());

const bearer = (apiKey: string) => `Authorization: Bearer ${apiKey}`;

/** Expects a reply of an operation with this status, in every point as described. */
function expectReply(reply: RawReply, path: string, method: "get" | "head", status: number): void {
  expect(reply.status, reply.body).toBe(status);
  expectDescribed(reply, ["paths", path, method, "responses", String(status)]);
  seen.add(`${path} ${status}`);
}

/** The same for an error that does not depend on the path. */
function expectErrorAnywhere(reply: RawReply, status: number): void {
  expect(reply.status, reply.body).toBe(status);
  expectDescribed(reply, ["components", "responses", `Error${status}`]);
  for (const path of ["elsewhere", list, description]) seen.add(`${path} ${status}`);
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
])("a page is as described: %s", async (query) => {
  const get = await request(port, `GET ${list}${query}`, [authorization]);
  expectReply(get, list, "get", 200);
  expectReply(await request(port, `HEAD ${list}${query}`, [authorization]), list, "head", 200);
});

test.each<[string, string[]]>([
  ["a bad parameter", []],
  ["a second Host", ["Host: other"]],
])("a bad request is as described: %s", async (_name, headers) => {
  const line = headers.length === 0 ? `${list}?limit=0` : list;
  expectReply(await request(port, `GET ${line}`, [authorization, ...headers]), list, "get", 400);
  expectReply(await request(port, `HEAD ${line}`, [authorization, ...headers]), list, "head", 400);
});

test("refusals of access are as described", async () => {
  const storeId = await createTestStore(stack, { plan: Plan.BASIC });
  const { apiKey } = await stack.admin.createApiKey({ storeId, label: "test" });
  for (const method of ["get", "head"] as const) {
    const ask = (...headers: string[]) => request(port, `${method.toUpperCase()} ${list}`, headers);
    expectReply(await ask(), list, method, 401);
    expectReply(await ask(bearer(generateApiKey())), list, method, 401);
    expectReply(await ask(bearer(apiKey)), list, method, 403);
  }
});

test("a request beyond the limit is as described", async () => {
  const storeId = await createTestStore(stack);
  const { apiKey } = await stack.admin.createApiKey({ storeId, label: "test" });
  const ask = (method: string) => request(port, `${method} ${list}`, [bearer(apiKey)]);
  // Until the first reply the edge does not know the key, and lets only some requests with it through.
  expectReply(await ask("GET"), list, "get", 200);
  const replies = await Promise.all(Array.from({ length: 120 }, () => ask("GET")));
  const refused = replies.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(1);
  for (const reply of refused) expectReply(reply, list, "get", 429);
  const head = await ask("HEAD");
  expectReply(head, list, "head", 429);
  expect(head.headers).toMatchObject({
    ratelimit: expect.anything(),
    "ratelimit-policy": '"default";q=120;w=60',
  });
});

test("what goes wrong in HTTP itself is as described", async () => {
  for (const method of ["get", "head"] as const) {
    const ask = (path: string, header: string) => request(port, `${method.toUpperCase()} ${path}`, [header]);
    for (const path of [list, description]) {
      expectReply(await ask(path, "Expect: tea"), path, method, 417);
      expectReply(await ask(path, "Host: other"), path, method, 400);
      expectReply(await ask(path, `X-Large: ${"a".repeat(20_000)}`), path, method, 431);
    }
  }
  expectErrorAnywhere(await request(port, "GET /elsewhere", [`X-Large: ${"a".repeat(20_000)}`]), 431);
});

test("a request that does not arrive is as described", async () => {
  const server = createHttpServer({
    handler: () => undefined,
    logger: pino({ level: "silent" }),
    clock: systemClock,
    timeouts: { headersMs: 200, requestMs: 300, keepAliveMs: 5_000, checkEveryMs: 50 },
    connections: { total: 10, perAddress: 10 },
    trustedProxies: [],
    metrics: new Registry(),
  });
  const slowPort = await listenHttp(server, "127.0.0.1", 0);
  const { replies } = await exchange(slowPort, `GET ${list} HTTP/1.1\r\n`).finally(() =>
    closeHttp(server, 500),
  );
  expect(replies).toHaveLength(1);
  for (const reply of replies) expectErrorAnywhere(reply, 408);
});

test("other paths and methods are as described", async () => {
  for (const path of [list, description])
    expectErrorAnywhere(await request(port, `DELETE ${path}`, [authorization]), 405);
  expectErrorAnywhere(await request(port, "CONNECT api.example:443"), 405);
  expectErrorAnywhere(await request(port, "GET /v1/certificate", [authorization]), 404);
});

test("faults behind the edge are as described", async () => {
  const away = await startEdge();
  // A gRPC server without our services: what an edge meets that is newer than the registry.
  const strange = new Server();
  const bind = promisify(strange.bindAsync.bind(strange));
  const strangePort = await bind("127.0.0.1:0", ServerCredentials.createInsecure());
  const misled = await startEdge({ registryAddress: `127.0.0.1:${strangePort}` });
  try {
    for (const method of ["get", "head"] as const) {
      const line = `${method.toUpperCase()} ${list}`;
      expectReply(await request(away.port, line, [authorization]), list, method, 503);
      expectReply(await request(misled.port, line, [authorization]), list, method, 500);
    }
  } finally {
    await Promise.all([away.stop(), misled.stop()]);
    strange.forceShutdown();
  }
});

test("the description is as it describes itself, and sent once to who keeps it", async () => {
  const get = await request(port, `GET ${description}`);
  expectReply(get, description, "get", 200);
  expectReply(await request(port, `HEAD ${description}`), description, "head", 200);
  const again = await request(port, `GET ${description}`, [`If-None-Match: ${get.headers.etag}`]);
  expectReply(again, description, "get", 304);
  expect(JSON.parse(get.body)).toEqual(openApiDocument);
});

test("a flood of unknown keys is refused as described", async () => {
  const ask = () => request(port, `GET ${list}`, [bearer(generateApiKey())]);
  const replies = await Promise.all(Array.from({ length: 300 }, ask));
  const refused = replies.filter(({ status }) => status !== 401);
  expect(refused.length).toBeGreaterThan(0);
  for (const reply of refused) expectReply(reply, list, "get", 429);
});

test("every reply that is described has been seen above", () => {
  for (const path of Object.keys(objectAt(["paths"])))
    for (const status of Object.keys(objectAt(["paths", path, "get", "responses"])))
      expect(seen).toContain(`${path} ${status}`);
  const described = Object.keys(objectAt(["components", "responses"])).map((name) =>
    name.replace("Error", ""),
  );
  const statuses = new Set([...seen].map((reply) => reply.split(" ")[1]));
  expect([...statuses].sort()).toEqual(["200", "304", ...described].sort());
});
