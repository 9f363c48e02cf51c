import { createHash, randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openTestEdge } from "../../services/edge/testing/start-edge.ts";
import { admissionTimesOf } from "../harness/admitted-requests.ts";
import { startCutProxy } from "../harness/cut-proxy.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { ListClient } from "../harness/list-client.ts";
import { metricValues } from "../harness/metric-values.ts";
import { openProxiedRegistry } from "../harness/proxied-registry.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openProxiedRegistry();
const { database, proxy } = registry;
const link = await startCutProxy(registry.address);
const edge = await openTestEdge({ registryAddress: link.address });
// For requests that end when the edge waits no longer. On a busy machine, their admission takes seconds.
const impatientEdge = await openTestEdge({ registryAddress: link.address, registryTimeoutMs: 8_000 });

const readPage = "find certificates";
const takePlace = "findAndModify access";

let storeId: string;
let client: ListClient;
let impatient: ListClient;
beforeEach(async () => {
  storeId = await createTestStore(registry);
  const { apiKey } = await registry.admin.createApiKey({ label: "test" }, inStore(storeId));
  client = new ListClient(`http://127.0.0.1:${edge.port}`, apiKey);
  impatient = new ListClient(`http://127.0.0.1:${impatientEdge.port}`, apiKey);
});
afterEach(() => {
  proxy.heal();
  link.heal();
});

const accessOfStore = () => database.collections.access.findOne({ _id: storeId });
const placesTaken = async () => admissionTimesOf((await accessOfStore())?.admitted).length;
const latestDecision = async () => (await accessOfStore())?.decision?.group.id.toString("hex");

async function expectPlaces(count: number): Promise<void> {
  await eventually(async () => expect(await placesTaken()).toBe(count));
}

async function expect503(response: Response): Promise<void> {
  expect([response.status, await response.json()]).toMatchObject([503, { error: "unavailable" }]);
  expect(response.headers.get("retry-after")).toMatch(/^[1-5]$/);
}

const returnedCount = async () => {
  const counts = await metricValues(registry.operationsUrl, "registry_places_returned_total");
  expect(counts['result="lost"']).toBe(0);
  return counts['result="returned"'] ?? 0;
};

test("does not count a request that ends with 503 against the rate limit, and increments the counter of returned places", async () => {
  const before = await returnedCount();
  expect((await impatient.fetch("")).status).toBe(200);
  proxy.hold(readPage);
  const responses = await Promise.all(Array.from({ length: 3 }, () => impatient.fetch("")));
  for (const response of responses) await expect503(response);
  proxy.heal();
  await expectPlaces(1);
  await eventually(async () => expect(await returnedCount()).toBe(before + 3));
});

test("counts a request that ends with 400 against the rate limit", async () => {
  expect((await client.fetch("limit=0")).status).toBe(400);
  expect((await client.fetch("cursor=x")).status).toBe(400);
  expect(await placesTaken()).toBe(2);
});

test("does not count a request against the rate limit when the database's response to the admission is lost", async () => {
  expect((await client.fetch("")).status).toBe(200);
  const before = await latestDecision();
  proxy.loseReplies(takePlace);
  await expect503(await client.fetch(""));
  // The admission was written although its response was lost. Its place may be returned already.
  expect(await latestDecision()).not.toBe(before);
  proxy.heal();
  await expectPlaces(1);
});

test("does not count a request against the rate limit when the registry's response to the edge is lost", async () => {
  expect((await client.fetch("")).status).toBe(200);
  link.loseReplies();
  await expect503(await impatient.fetch(""));
  link.heal();
  await expectPlaces(1);
});

test("returns the place of a request whose key has been revoked before the edge asks for the return", async () => {
  const { apiKey, keyId } = await registry.admin.createApiKey({ label: "revoked" }, inStore(storeId));
  const admission = { keySha256: createHash("sha256").update(apiKey).digest(), admissionId: randomBytes(16) };
  await registry.edge.handleList(admission);
  expect(await placesTaken()).toBe(1);
  await registry.admin.revokeApiKey({ keyId }, inStore(storeId));
  await registry.edge.returnAdmissions({ admissions: [admission] });
  await expectPlaces(0);
});
