import { randomBytes } from "node:crypto";
import { Registry } from "prom-client";
import { afterAll, afterEach, expect, test } from "vitest";
import { connectRegistry } from "../../services/edge/registry-client/list-client.ts";
import { startEdge } from "../../services/edge/testing/start-edge.ts";
import { admissionTimesOf } from "../harness/admitted-requests.ts";
import { startCutProxy } from "../harness/cut-proxy.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem, issueOne } from "../harness/issue-items.ts";
import { ListClient } from "../harness/list-client.ts";
import { createScannedLogger } from "../harness/log-scan/scanned-logger.ts";
import { metricValues } from "../harness/metric-values.ts";
import { openProxiedRegistry } from "../harness/proxied-registry.ts";
import { createKeyedStore } from "../harness/test-stores.ts";

const registry = await openProxiedRegistry();
const { database, proxy } = registry;
const link = await startCutProxy(registry.address);
const { logger } = createScannedLogger("edge");
const client = connectRegistry({ address: link.address, logger, metrics: new Registry() });
afterAll(() => client.close());
afterEach(() => {
  proxy.heal();
  link.heal();
});

const readPage = "find certificates";
const takePlace = "findAndModify access";
const never = new AbortController().signal;

const load = async (name: "in_flight" | "waiting") =>
  (await metricValues(registry.operationsUrl, `registry_load_${name}`))['work="lists"'];

async function newStore() {
  const { storeId, keySha256 } = await createKeyedStore(registry);
  const certificateId = await issueOne(registry, storeId);
  const list = ({ timeoutMs = 20_000, signal = never } = {}) =>
    client.handleList(
      { keySha256, admissionId: randomBytes(16), page: { limit: 10 } },
      { requestId: "test", timeoutMs, signal },
    );
  const places = async () =>
    admissionTimesOf((await database.collections.access.findOne({ _id: storeId }))?.admitted).length;
  return { storeId, certificateId, list, places };
}

test("returns the right reply to each of 200 concurrent requests", async () => {
  const stores = await Promise.all(Array.from({ length: 20 }, newStore));
  const requests = Array.from({ length: 10 }, () => stores).flat();
  const replies = await Promise.all(requests.map(({ list }) => list()));
  expect(replies.map(({ storeId }) => storeId)).toEqual(requests.map(({ storeId }) => storeId));
  for (const [index, { page }] of replies.entries()) {
    const certificates: unknown = JSON.parse(`[${Buffer.from(page?.json ?? [])}]`);
    expect(certificates).toMatchObject([{ id: requests[index]?.certificateId }]);
  }
});

test("fails a request at its deadline, and does not count it against the rate limit", async () => {
  const { list, places } = await newStore();
  await list();
  proxy.hold(readPage);
  await expect(list({ timeoutMs: 500 })).rejects.toMatchObject({ code: "unavailable" });
  proxy.heal();
  await eventually(async () => expect(await places()).toBe(1));
});

test("fails the requests in progress when the connection breaks, does not count them against the rate limit, and reconnects", async () => {
  const { list, places } = await newStore();
  await list();
  proxy.hold(readPage);
  const before = proxy.count(readPage);
  const lost = Promise.allSettled(Array.from({ length: 3 }, () => list()));
  await eventually(() => expect(proxy.count(readPage)).toBe(before + 3));
  link.cut();
  for (const result of await lost) expect(result).toMatchObject({ reason: { code: "unavailable" } });
  await expect(list()).rejects.toMatchObject({ code: "unavailable" });
  link.heal();
  proxy.heal();
  await eventually(async () => expect(await places()).toBe(1));
  await eventually(() => list());
});

test("drops a waiting request that is cancelled, and does not count it against the rate limit", async () => {
  const { list, places } = await newStore();
  await list();
  proxy.hold(takePlace);
  // As many as REGISTRY_LIST_CONCURRENCY_PER_STORE admits by default.
  const working = Array.from({ length: 4 }, () => list());
  await eventually(async () => expect(await load("in_flight")).toBe(4));
  const leaving = new AbortController();
  const left = list({ signal: leaving.signal });
  await eventually(async () => expect(await load("waiting")).toBe(1));
  leaving.abort();
  await expect(left).rejects.toMatchObject({ code: "unavailable" });
  await eventually(async () => expect(await load("waiting")).toBe(0));
  proxy.heal();
  await Promise.all(working);
  await list();
  expect(await places()).toBe(6);
});

test("sends a page of 100 large certificates, which exceeds the default HTTP/2 window, to an API client", async () => {
  const edge = await startEdge({ registryAddress: registry.address });
  const { storeId, apiKey } = await createKeyedStore(registry);
  const title = "Zürich 🍋 ".repeat(20).trim();
  const items = Array.from({ length: 101 }, () => issueItem({ product: { title } }));
  await registry.issuing.issueCertificates({ items }, inStore(storeId));
  const reply = await new ListClient(`http://127.0.0.1:${edge.port}`, apiKey).fetch("limit=100");
  const text = await reply.text();
  await edge.stop();
  expect(text.length).toBeGreaterThan(65_535);
  expect(Number(reply.headers.get("content-length"))).toBe(Buffer.byteLength(text));
  const { certificates, next_cursor } = JSON.parse(text);
  expect(certificates).toHaveLength(100);
  expect(certificates[99].product.title).toBe(title);
  expect(next_cursor).toEqual(expect.any(String));
});
