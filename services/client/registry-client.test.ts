import { expect, test } from "vitest";
import { certificateFixture, clientWith, failWith, pageWith } from "./client-fixture.ts";
import { ApiError } from "./errors.ts";
import { RegistryClient } from "./registry-client.ts";

const [one, two, three] = [1, 2, 3].map((second) => certificateFixture(`crt_${second}`, second));
const all = async <Item>(items: AsyncIterable<Item>) => {
  const read: Item[] = [];
  for await (const item of items) read.push(item);
  return read;
};
if (!one || !two || !three) throw new Error("unreachable");

test("iterates over the certificates of all pages, requesting each page with the previous page's cursor", async () => {
  const { client, requests } = clientWith([pageWith([one, two], "c1"), pageWith([], "c2"), pageWith([three])]);
  expect(await all(client.certificates({ status: "active" }))).toEqual([one, two, three]);
  expect(requests.map(({ url }) => url.search)).toEqual([
    "?limit=100&status=active",
    "?limit=100&cursor=c1",
    "?limit=100&cursor=c2",
  ]);
  expect(requests[0]?.headers.get("authorization")).toBe("Bearer crk_test");
});

test("requests a page only when the caller reads it", async () => {
  const { client, requests } = clientWith([pageWith([one], "c1"), pageWith([two])]);
  for await (const certificate of client.certificates()) {
    expect(certificate).toEqual(one);
    break;
  }
  expect(requests).toHaveLength(1);
});

test("encodes filters, keeps the page size, and keeps a path in the base URL", async () => {
  const { client, requests } = clientWith([pageWith([], "c"), pageWith([])], {
    baseUrl: "https://shop.test/registry/",
  });
  const filter = { email: "a b+c@example.test", order: "#1001", updatedSince: new Date(0), limit: 7 };
  await all(client.pages(filter));
  expect(requests.map(({ url }) => url.href)).toEqual([
    "https://shop.test/registry/v1/certificates?limit=7&email=a%20b%2Bc%40example.test&order=%231001&updated_since=1970-01-01T00%3A00%3A00.000Z",
    "https://shop.test/registry/v1/certificates?limit=7&cursor=c",
  ]);
});

test("sends a filter under the name that the API has, so that it never returns unfiltered certificates", async () => {
  const { client, requests } = clientWith([pageWith([])]);
  const misnamed = { updated_since: "2026-01-01T00:00:00Z", Status: "active" } as object;
  await client.getPage(misnamed);
  expect(requests[0]?.url.search).toBe("?limit=100&updated_since=2026-01-01T00%3A00%3A00Z&Status=active");
});

test("does not follow a redirect, which could lead the key to another host", async () => {
  const inits: (RequestInit | undefined)[] = [];
  const { client } = clientWith([], {
    fetch: async (_, init) => {
      inits.push(init);
      return new Response(null, { status: 308, headers: { location: "https://elsewhere.test/" } });
    },
  });
  await expect(client.getPage()).rejects.toMatchObject({ status: 308, code: "unexpected_response" });
  expect(inits).toEqual([expect.objectContaining({ redirect: "manual" })]);
});

test.each([
  [400, "bad_request", false],
  [401, "unauthorized", false],
  [403, "plan_required", false],
  [418, "a_new_code", false],
])("throws an error with code, request id and message at once on a %i response", async (status, code, isTemporary) => {
  const { client, clock } = clientWith([failWith(status, code, { "x-request-id": "req_1" })]);
  const error = await client.getPage().catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status, code, requestId: "req_1", isTemporary, retryAfterMs: undefined });
  expect(String(error)).toBe(`ApiError: It failed. (${status} ${code}, request req_1)`);
  expect(clock.sleeps).toEqual([]);
});

test("reports the status of an error response that does not come from the service", async () => {
  const { client } = clientWith([() => new Response("<h1>Not here</h1>", { status: 404, statusText: "Not Found" })]);
  await expect(client.getPage()).rejects.toMatchObject({
    code: "unexpected_response",
    message: "the server responded with 404 Not Found (404 unexpected_response)",
  });
});

test.each([
  ["HTML", () => new Response("<h1>Welcome</h1>")],
  ["JSON that is not a page", () => Response.json({ certificates: [{}], next_cursor: null })],
  ["no cursor", () => Response.json({ certificates: [] })],
])("rejects a successful response with %s", async (_, reply) => {
  const { client, requests } = clientWith([reply]);
  const error = await client.getPage().catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 200, code: "unexpected_response", isTemporary: false });
  expect(String(error)).toContain("check the base URL");
  expect(requests).toHaveLength(1);
});

test("requires a key and a valid base URL", () => {
  expect(() => new RegistryClient({ baseUrl: "https://registry.test", apiKey: "" })).toThrow("apiKey is missing");
  expect(() => new RegistryClient({ baseUrl: "registry.test", apiKey: "crk_1" })).toThrow(TypeError);
  const baseUrl = "localhost:8080";
  expect(() => new RegistryClient({ baseUrl, apiKey: "crk_1" })).toThrow("must begin with https:// or http://");
});

test.each(["crk_…", "crk_one two", "crk_1\ncrk_2", "“crk_1”", "Bearer crk_1"])(
  "refuses a key that cannot be sent as a bearer token, without quoting it: %j",
  (apiKey) => {
    const create = () => new RegistryClient({ baseUrl: "https://registry.test", apiKey });
    expect(create).toThrow(TypeError);
    expect(create).toThrow("apiKey contains a character that no API key has");
    expect(create).not.toThrow(apiKey);
  },
);

test("accepts a key with a line break at the end, as read from a file", async () => {
  const { client, requests } = clientWith([pageWith([])], { apiKey: "crk_test\n" });
  await client.getPage();
  expect(requests[0]?.headers.get("authorization")).toBe("Bearer crk_test");
});

test("requests one certificate by its id, percent-encoded below the path of the list", async () => {
  const { client, requests } = clientWith([() => Response.json(one)], { baseUrl: "https://shop.test/registry/" });
  expect(await client.get("crt_1")).toEqual(one);
  await client.get("a/b?c=%#ü");
  expect(requests.map(({ url }) => url.href)).toEqual([
    "https://shop.test/registry/v1/certificates/crt_1",
    "https://shop.test/registry/v1/certificates/a%2Fb%3Fc%3D%25%23%C3%BC",
  ]);
  expect(requests[0]?.headers.get("authorization")).toBe("Bearer crk_test");
});

test("throws not_found at once for an id of no certificate, and retries a temporary failure", async () => {
  const { client, clock } = clientWith([
    failWith(404, "not_found"),
    failWith(503, "unavailable"),
    () => Response.json(two),
  ]);
  await expect(client.get("crt_0")).rejects.toMatchObject({ status: 404, code: "not_found", isTemporary: false });
  expect(clock.sleeps).toEqual([]);
  expect(await client.get("crt_2")).toEqual(two);
  expect(clock.sleeps).toHaveLength(1);
});

test.each([
  ["a page", pageWith([one])],
  ["HTML", () => new Response("<h1>Welcome</h1>")],
])("rejects a successful response with %s instead of a certificate", async (_, reply) => {
  const { client } = clientWith([reply]);
  await expect(client.get("crt_1")).rejects.toMatchObject({
    code: "unexpected_response",
    message: expect.stringContaining("did not respond with a certificate; check the base URL"),
  });
});

test("requires an id, and requests nothing without one", async () => {
  const { client, requests } = clientWith([pageWith([one])]);
  await expect(client.get("")).rejects.toThrow(TypeError);
  expect(requests).toEqual([]);
});

test("does not request one certificate once the caller has aborted", async () => {
  const { client } = clientWith([() => Response.json(one)]);
  await expect(client.get("crt_1", { signal: AbortSignal.abort(new Error("left")) })).rejects.toThrow("left");
});
