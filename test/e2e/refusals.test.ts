import { request } from "node:http";
import { expect, test } from "vitest";
import { z } from "zod";
import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { generateApiKey } from "#shared/keys/api-key.ts";
import { inStore } from "#shared/rpc/scope-metadata.ts";
import { eventually } from "../harness/eventually.ts";
import { metricValues } from "../harness/metric-values.ts";
import { createStoreClient, openProcessStack } from "../harness/stack/process-stack.ts";

const errorDocument = z.strictObject({ error: z.string(), message: z.string() });

const stack = await openProcessStack();
const { apiKey, client } = await createStoreClient(stack);

/** Returns the number of list requests that the registry has answered. */
async function listCalls(): Promise<number> {
  const { origin } = new URL(stack.registryMetricsUrl);
  const calls = await metricValues(origin, "registry_grpc_call_duration_seconds_count");
  const ofList = Object.entries(calls).filter(([labels]) => labels.includes("ListExchangeService"));
  return ofList.reduce((sum, [, count]) => sum + count, 0);
}

/** Returns the status and the error document of a response; the body must have exactly `error` and `message`. */
async function refusalOf(response: Response) {
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  return { status: response.status, ...errorDocument.parse(await response.json()) };
}

test.each([
  ["no key", {}],
  ["a malformed key", { authorization: "Bearer nonsense" }],
  ["another authentication scheme", { authorization: "Basic abc" }],
  ["an unknown, well-formed key", { authorization: `Bearer ${generateApiKey()}` }],
])("responds with 401 unauthorized to a request with %s", async (_, headers) => {
  const response = await fetch(`${stack.baseUrl}/v1/certificates`, { headers });
  expect(await refusalOf(response)).toMatchObject({ status: 401, error: "unauthorized" });
});

test.each([
  ["limit", "limit=0"],
  ["limit", "limit=101"],
  ["limit", "limit=050"],
  ["status", "status=valid"],
  ["updated_since", "updated_since=2026-02-30T00:00:00Z"],
  ["updated_since", "updated_since=2026-01-01T00:00:00"],
  ["updated_since", "updated_since=0000-01-01T00:00:00Z"],
  ["updated_since", "updated_since=0001-01-01T00:00:00%2B01:00"],
  ["%23", "order=#1001"],
  ["order", "order=A1001"],
  ["serial", "serial=12x"],
  ["email", "email=nobody"],
  ["cursor", "cursor=AAAA"],
  ["updated_snice", "updated_snice=2026-01-01T00:00:00Z"],
  ["email[$ne]", "email[$ne]=x"],
  ["status", "status="],
  ["limit", "limit=5&limit=6"],
  ["email", "email=%zz"],
])("names %s in the 400 bad_request response to the query %s", async (name, query) => {
  const refusal = await refusalOf(await client.fetch(query));
  expect(refusal).toMatchObject({ status: 400, error: "bad_request" });
  expect(refusal.message).toContain(name);
});

test("refuses a query of 1 MB with the same 400 response as a query just over 2,048 bytes", async () => {
  const short = await refusalOf(await client.fetch(`email=${"a".repeat(2_100)}@example.com`));
  const long = await refusalOf(await client.fetch(`email=${"a".repeat(1_000_000)}@example.com`));
  expect(long).toEqual(short);
  expect(long).toMatchObject({ status: 400, error: "bad_request" });
});

test("sends an error document with 404 for an unknown path, and with 405 and Allow for an unsupported method", async () => {
  const path = await fetch(`${stack.baseUrl}/v1/certificate`);
  expect(await refusalOf(path)).toMatchObject({ status: 404, error: "not_found" });
  const method = await client.fetch("", { method: "POST" });
  expect(method.headers.get("allow")).toBe("GET, HEAD");
  expect(await refusalOf(method)).toMatchObject({ status: 405, error: "method_not_allowed" });
});

test("refuses a store without the Pro plan with 403 plan_required, does not count the request, and admits the store immediately after an upgrade", async () => {
  const { storeId: basicId, client: basic } = await createStoreClient(stack, { plan: Plan.BASIC });
  expect(await refusalOf(await basic.fetch(""))).toMatchObject({ status: 403, error: "plan_required" });
  await stack.admin.setPlan({ plan: Plan.PRO }, inStore(basicId));
  const admitted = await basic.fetch("");
  expect(admitted.status).toBe(200);
  expect(admitted.headers.get("ratelimit")).toContain("r=119");
});

test("admits 120 of 130 concurrent requests, including invalid requests, and refuses 10 with 429 and Retry-After", async () => {
  const { client: busy } = await createStoreClient(stack);
  const responses = await Promise.all(
    Array.from({ length: 130 }, (_, index) => busy.fetch(index % 2 === 0 ? "limit=1" : "limit=0")),
  );
  const refused = responses.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(10);
  for (const response of refused) {
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(await refusalOf(response)).toMatchObject({ error: "rate_limited" });
    // Only refusals by the store's rate limit have this header, not those by the edge's limit for unknown keys.
    expect(response.headers.get("ratelimit")).not.toBeNull();
  }
});

test("refuses concurrent requests over a store's limit with 429, without a registry call for each, and with 401 once the key is revoked", async () => {
  const { client: busy, ...key } = await createStoreClient(stack);
  const burst = (count: number) => Promise.all(Array.from({ length: count }, () => busy.fetch("limit=1")));
  await burst(120);
  await burst(1);
  const before = await listCalls();
  const refused = await burst(100);
  for (const response of refused) {
    expect(response.headers.get("ratelimit")).toContain("r=0");
    expect(await refusalOf(response)).toMatchObject({ status: 429, error: "rate_limited" });
  }
  expect((await listCalls()) - before).toBeLessThan(90);
  await stack.admin.revokeApiKey(key, inStore(key.storeId));
  const statuses = (await burst(100)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([401]));
});

test("refuses a revoked key from the next request on", async () => {
  const { client: revoked, ...key } = await createStoreClient(stack);
  expect((await revoked.fetch("limit=1")).status).toBe(200);
  await stack.admin.revokeApiKey(key, inStore(key.storeId));
  expect((await revoked.fetch("limit=1")).status).toBe(401);
});

test("responds with 503 and Retry-After while the registry is unavailable, and with 200 after it has recovered", async () => {
  await stack.registry.kill();
  const unavailable = await client.fetch("limit=1");
  expect(unavailable.headers.get("retry-after")).toMatch(/^[1-5]$/);
  expect(await refusalOf(unavailable)).toMatchObject({ status: 503, error: "unavailable" });
  await stack.registry.start();
  await eventually(async () => expect((await client.fetch("limit=1")).status).toBe(200), { withinMs: 30_000 });
});

test("ignores the body of a GET request", async () => {
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const options = { method: "GET", headers: { authorization: `Bearer ${apiKey}`, "content-length": "11" } };
    const sent = request(`${stack.baseUrl}/v1/certificates?limit=1`, options, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject);
    sent.end("hello world");
  });
  expect(status).toBe(200);
});
