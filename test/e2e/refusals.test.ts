import { request } from "node:http";
import { expect, test } from "vitest";
import { z } from "zod";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
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

test("refuses concurrent requests over a store's limit with 429, without a registry call for each, and with 401 once the key is revoked", async () => {
  const { client: busy, ...key } = await createStoreClient(stack);
  const burst = (count: number) => Promise.all(Array.from({ length: count }, () => busy.fetch("limit=1")));
  await burst(120);
  // Repeated, because a busy machine may have shed some of them, which take no place.
  await eventually(async () => expect((await burst(1)).map(({ status }) => status)).toEqual([429]));
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
