import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { afterEach, describe, expect, test } from "vitest";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { generateApiKey } from "#shared/keys/api-key.ts";
import { type RawReply, request } from "../../services/edge/testing/raw-http.ts";
import { openTestEdge } from "../../services/edge/testing/start-edge.ts";
import { admissionTimesOf } from "../harness/admitted-requests.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { openProxiedRegistry } from "../harness/proxied-registry.ts";
import { createKeyedStore } from "../harness/test-stores.ts";

const registry = await openProxiedRegistry();
const { proxy } = registry;
const edge = await openTestEdge({ registryAddress: registry.address });
const impatientEdge = await openTestEdge({ registryAddress: registry.address, registryTimeoutMs: 2_000 });
afterEach(() => proxy.heal());

const path = "/v1/certificates";
const unknownId = `crt_${"0".repeat(24)}`;

/** Creates a store with a key and issues certificates in it. */
async function createStore(count: number) {
  const { storeId, apiKey, keyId } = await createKeyedStore(registry);
  const items = Array.from({ length: count }, (_, index) =>
    issueItem({ product: { title: `Zürich ${index} 🍋` }, expiresAt: timestampFromMs(Date.now() + 86_400_000) }),
  );
  const { results } = await registry.issuing.issueCertificates({ items }, inStore(storeId));
  const ids = results.map(({ certificateId }) => certificateId);
  const ask = (target: string, method = "GET", { port } = edge) =>
    request(port, `${method} ${path}${target}`, [`Authorization: Bearer ${apiKey}`]);
  return { storeId, keyId, ids, ask };
}

function expectError(reply: RawReply, status: number, error: string): string {
  expect(reply.status, reply.body).toBe(status);
  expect(reply.headers["content-type"]).toBe("application/json; charset=utf-8");
  const document: Record<string, unknown> = JSON.parse(reply.body);
  expect(Object.keys(document)).toEqual(["error", "message"]);
  expect(document.error).toBe(error);
  return String(document.message);
}

/** Returns the number of requests that the store may still send, as the response states it. */
function remainingIn({ headers }: RawReply): number {
  return Number(/r=(\d+)/.exec(headers.ratelimit ?? "")?.[1] ?? Number.NaN);
}

const { storeId, keyId, ids, ask } = await createStore(3);
const [first = "", second = ""] = ids;

describe("the certificate with an id", () => {
  test("has the same bytes and the same headers as in the list, in every state", async () => {
    const { lifecycle } = registry;
    const expectListed = async () => {
      const list = await ask("");
      for (const id of ids) {
        const reply = await ask(`/${id}`);
        expect(reply.status).toBe(200);
        expect(JSON.parse(reply.body).id).toBe(id);
        expect(list.body).toContain(reply.body);
        expect(Object.keys(reply.headers)).toEqual(Object.keys(list.headers));
        for (const name of ["content-type", "cache-control", "ratelimit-policy", "x-feed-epoch"])
          expect(reply.headers[name]).toBe(list.headers[name]);
      }
    };
    await expectListed();
    await lifecycle.revokeCertificate({ certificateId: first, cause: RevocationCause.REFUND }, inStore(storeId));
    await lifecycle.transferCertificate(
      { certificateId: second, newOwnerName: "Bo", newOwnerEmail: "bo@example.test" },
      inStore(storeId),
    );
    await expectListed();
    expect(JSON.parse((await ask(`/${first}`)).body)).toMatchObject({ status: "revoked", revokedReason: "Refund" });
  });

  test("has expired from the millisecond of expiresAt, although nothing has stored that", async () => {
    const { certificates } = registry.database.collections;
    const [, , third = ""] = ids;
    await certificates.updateOne({ _id: third }, { $set: { expiresAt: new Date(Date.now() - 1) } });
    expect(JSON.parse((await ask(`/${third}`)).body)).toMatchObject({ id: third, status: "expired" });
  });

  test("is shown from its fields while its stored JSON is outdated", async () => {
    const { certificates } = registry.database.collections;
    const before = (await ask(`/${second}`)).body;
    await certificates.updateOne({ _id: second }, { $unset: { json: 1 } });
    expect((await ask(`/${second}`)).body).toBe(before);
  });

  test("has the same headers for HEAD as for GET, without a body", async () => {
    for (const id of [first, unknownId]) {
      const [get, head] = [await ask(`/${id}`), await ask(`/${id}`, "HEAD")];
      expect(head).toMatchObject({ status: get.status, body: "" });
      expect(Object.keys(head.headers)).toEqual(Object.keys(get.headers));
      expect(Number(head.headers["content-length"])).toBe(Buffer.byteLength(get.body));
    }
  });
});

test("an unknown id, another store's id, a sample's id and a text that is no id get the same 404, with the store's rate limit", async () => {
  const other = await createStore(1);
  const sample = await registry.issuing.createSamples({ products: [{ title: "Sample" }] }, inStore(storeId));
  const targets = [unknownId, other.ids[0], ...sample.certificateIds, "x", storeId, `${first}0`, first.slice(0, -1)];
  const messages = new Set<string>();
  for (const target of targets) {
    const reply = await ask(`/${target}`);
    messages.add(expectError(reply, 404, "not_found"));
    expect(reply.headers["ratelimit-policy"]).toBe('"default";q=120;w=60');
  }
  expect(messages.size).toBe(1);
  expect((await other.ask(`/${other.ids[0]}`)).status).toBe(200);
});

test("every request with a valid key takes one place in the rate limit that the list has too, whatever its id or query", async () => {
  const { ids: own, ask: askOwn } = await createStore(1);
  const targets = [`/${own[0]}`, "", `/${unknownId}`, "/no-id", `/${own[0]}?limit=1`];
  const remaining: number[] = [];
  for (const target of targets) remaining.push(remainingIn(await askOwn(target)));
  expect(remaining).toEqual([119, 118, 117, 116, 115]);
  const replies = await Promise.all(Array.from({ length: 115 }, () => askOwn(`/${own[0]}`)));
  const count = (status: number) => replies.filter((reply) => reply.status === status).length;
  // On a busy machine, the registry may shed some of them, which gives their places back. No other place may be free.
  expect(count(503)).toBe(115 - count(200));
  await eventually(async () => {
    if (count(200) < 115) replies.push(await askOwn(`/${own[0]}`));
    expect(count(200)).toBe(115);
  });
  for (const target of targets) {
    const reply = await askOwn(target);
    expectError(reply, 429, "rate_limited");
    expect(Number(reply.headers["retry-after"])).toBeGreaterThanOrEqual(1);
  }
});

test.each([
  ["limit", "limit=1"],
  ["email", "email=a@b.example"],
  ["cursor", "cursor=x"],
  ["fields", "fields=id"],
  ["query", `${"a".repeat(2_100)}=1`],
])(
  "names %s in the 400 response to a query, which a request for one certificate does not have: %s",
  async (name, query) => {
    for (const id of [first, unknownId, "x"])
      expect(expectError(await ask(`/${id}?${query}`), 400, "bad_request")).toMatch(new RegExp(`^${name} `));
  },
);

test("an empty query is no query", async () => {
  expect((await ask(`/${first}?`)).status).toBe(200);
});

test("a text that is no id causes no read of certificates", async () => {
  const { ids: own, ask: askOwn } = await createStore(1);
  // From the second request on, a page is read while the admission is decided.
  await askOwn(`/${own[0]}`);
  proxy.hold("find certificates");
  for (const target of ["x", "%00", "crt_", `${own[0]}%20`, `%63${own[0]?.slice(1)}`, "$ne", "a".repeat(8_000)])
    expectError(await askOwn(`/${target}`), 404, "not_found");
});

test("a request whose read does not end in time gets 503 with Retry-After and takes no place in the rate limit", async () => {
  const { storeId: ownStoreId, ids: own, ask: askOwn } = await createStore(1);
  expect(remainingIn(await askOwn(`/${own[0]}`))).toBe(119);
  proxy.hold("find certificates");
  const reply = await askOwn(`/${own[0]}`, "GET", impatientEdge);
  expectError(reply, 503, "unavailable");
  expect(reply.headers["retry-after"]).toMatch(/^[1-5]$/);
  proxy.heal();
  const { access } = registry.database.collections;
  const placesTaken = async () => admissionTimesOf((await access.findOne({ _id: ownStoreId }))?.admitted).length;
  await eventually(async () => expect(await placesTaken()).toBe(1));
});

test("a missing, malformed or unknown key gets 401 before the id is looked at, and a store without the Pro plan 403", async () => {
  for (const id of [first, unknownId, "x"])
    for (const headers of [[], ["Authorization: Bearer x"], [`Authorization: Bearer ${generateApiKey()}`]])
      expectError(await request(edge.port, `GET ${path}/${id}`, headers), 401, "unauthorized");
  const basic = await createStore(1);
  await registry.admin.setPlan({ plan: Plan.BASIC }, inStore(basic.storeId));
  for (const id of [basic.ids[0], unknownId, "x"]) {
    const reply = await basic.ask(`/${id}`);
    expectError(reply, 403, "plan_required");
    expect(reply.headers).toHaveProperty("ratelimit");
  }
});

test("a revoked key is refused from the next request on", async () => {
  expect((await ask(`/${first}`)).status).toBe(200);
  await registry.admin.revokeApiKey({ keyId }, inStore(storeId));
  expectError(await ask(`/${first}`), 401, "unauthorized");
});
