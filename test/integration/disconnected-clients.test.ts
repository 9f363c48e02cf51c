import { afterEach, beforeEach, expect, test } from "vitest";
import { openTestEdge } from "../../services/edge/testing/start-edge.ts";
import { admissionTimesOf } from "../harness/admitted-requests.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { ListClient } from "../harness/list-client.ts";
import { metricValues } from "../harness/metric-values.ts";
import { openProxiedRegistry } from "../harness/proxied-registry.ts";
import { openBrowserSession } from "../harness/settings-browser.ts";
import { createTestStore } from "../harness/test-stores.ts";

const perStoreMax = 2;
const registry = await openProxiedRegistry({ env: { REGISTRY_LIST_CONCURRENCY_PER_STORE: String(perStoreMax) } });
const { database, proxy } = registry;
// With a time limit so long that no request reaches its deadline.
const edge = await openTestEdge({ registryAddress: registry.address, registryTimeoutMs: 60_000 });

const readPage = "find certificates";
const takePlace = "findAndModify access";
const aborted = expect.objectContaining({ name: "AbortError" });

let storeId: string;
let client: ListClient;
beforeEach(async () => {
  storeId = await createTestStore(registry);
  const { apiKey } = await registry.admin.createApiKey({ label: "test" }, inStore(storeId));
  client = new ListClient(`http://127.0.0.1:${edge.port}`, apiKey);
  // With this request, the registry learns which store the key belongs to.
  expect((await client.fetch("")).status).toBe(200);
});
afterEach(() => proxy.heal());

const placesTaken = async () =>
  admissionTimesOf((await database.collections.access.findOne({ _id: storeId }))?.admitted).length;
const metric = async (name: string, labels: string) => (await metricValues(registry.operationsUrl, name))[labels] ?? 0;
const shed = () => metric("registry_load_shed_total", 'work="lists",reason="caller_left"');
const returns = "registry_places_returned_total";

test("sends no update and counts no request if the client disconnects before the request is admitted", async () => {
  const waiting = () => metric("registry_load_waiting", 'work="lists"');
  const inFlight = () => metric("registry_load_in_flight", 'work="lists"');
  proxy.hold(takePlace);
  const [sent, shedBefore] = [proxy.count(takePlace), await shed()];
  const working = Array.from({ length: perStoreMax }, () => client.fetch(""));
  // One update is held; the other request in flight waits for it.
  await eventually(async () => expect(await inFlight()).toBe(perStoreMax));
  const leaving = new AbortController();
  const left = Array.from({ length: 10 }, () =>
    expect(client.fetch("", { signal: leaving.signal })).rejects.toThrow(aborted),
  );
  await eventually(async () => expect(await waiting()).toBe(10));
  leaving.abort();
  await Promise.all(left);
  await eventually(async () => expect(await shed()).toBe(shedBefore + 10));
  proxy.heal();
  expect((await Promise.all(working)).map(({ status }) => status)).toEqual(Array(perStoreMax).fill(200));
  expect(proxy.count(takePlace)).toBe(sent + perStoreMax);
  expect(await placesTaken()).toBe(1 + perStoreMax);
});

test("counts an admitted request against the limit even if its client disconnects while the page is being read", async () => {
  proxy.hold(readPage);
  const leaving = new AbortController();
  const reading = proxy.count(readPage);
  const left = expect(client.fetch("", { signal: leaving.signal })).rejects.toThrow(aborted);
  await eventually(() => expect(proxy.count(readPage)).toBe(reading + 1));
  const leftBefore = await shed();
  leaving.abort();
  await left;
  // This request counts against the limit but reads no page. It reaches the registry after the cancellation.
  expect((await client.fetch("limit=0")).status).toBe(400);
  proxy.heal();
  await eventually(async () => expect(await shed()).toBe(leftBefore + 1));
  expect([await placesTaken(), await metric(returns, 'result="returned"')]).toEqual([3, 0]);
});

test("drops the search of a settings page whose merchant has left", async () => {
  const merchant = await openBrowserSession({ registry, edge }, storeId);
  const searches = (name: string) => metric(name, 'work="searches"');
  const searchesLeft = () => metric("registry_load_shed_total", 'work="searches",reason="caller_left"');
  proxy.hold(readPage);
  const reading = merchant.get("/certificates?q=vase");
  await eventually(async () => expect(await searches("registry_load_in_flight")).toBe(1));
  const leaving = new AbortController();
  const [left, leftBefore] = [merchant.get("/certificates?q=kite", leaving.signal), await searchesLeft()];
  await eventually(async () => expect(await searches("registry_load_waiting")).toBe(1));
  leaving.abort();
  await expect(left).rejects.toThrow(aborted);
  await eventually(async () => expect(await searchesLeft()).toBe(leftBefore + 1));
  proxy.heal();
  expect((await reading).status).toBe(200);
});
