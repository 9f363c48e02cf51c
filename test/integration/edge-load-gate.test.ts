import { afterAll, expect, test } from "vitest";
import { openTestEdge } from "../../services/edge/testing/start-edge.ts";
import { startSlowDatabase } from "../checks/overload/slow-database.ts";
import { admissionTimesOf } from "../harness/admitted-requests.ts";
import { eventually } from "../harness/eventually.ts";
import { ListClient } from "../harness/list-client.ts";
import { metricValues } from "../harness/metric-values.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { createKeyedStore } from "../harness/test-stores.ts";

const database = await openTestDatabase();
const proxy = await startSlowDatabase(database.uri, { commandsAtOnce: 4, commandMs: 100 });
afterAll(() => proxy.close());
const registry = await openTestRegistry({
  database: { ...database, uri: proxy.uri },
  // With the default limit, the flood would soon get 429 responses instead of filling the registry's queue.
  // The window does not end during the test.
  env: { REGISTRY_RATE_LIMIT: "10000", REGISTRY_RATE_LIMIT_WINDOW_MS: "3600000" },
});
const edge = await openTestEdge({ registryAddress: registry.address, registryTimeoutMs: 10_000 });

const parallelRequests = 300;
const refusalsWanted = 700;

async function newClient() {
  const { storeId, apiKey } = await createKeyedStore(registry);
  const client = new ListClient(`http://127.0.0.1:${edge.port}`, apiKey);
  const statuses: number[] = [];
  return {
    statuses,
    request: async () => {
      const reply = await client.fetch("limit=1");
      await reply.arrayBuffer();
      statuses.push(reply.status);
      if (reply.status === 503) expect(reply.headers.get("retry-after")).toMatch(/^[1-5]$/);
    },
    placesTaken: async () =>
      admissionTimesOf((await database.collections.access.findOne({ _id: storeId }))?.admitted).length,
  };
}

const edgeRefusals = () =>
  metricValues(`http://127.0.0.1:${edge.operationsPort}`, "edge_shed_requests_total").then(
    (values) => values['why="key"'] ?? 0,
  );

const registryRefusals = async () => {
  const values = await metricValues(registry.operationsUrl, "registry_load_shed_total");
  return ["queue_full", "deadline"].reduce((sum, reason) => sum + (values[`work="lists",reason="${reason}"`] ?? 0), 0);
};

test("sheds most excess requests of one key at the edge, serves another key, and counts no shed request against the rate limit", async () => {
  const [flooding, other] = [await newClient(), await newClient()];
  // With these requests, the registry learns how long a request takes.
  for (let request = 0; request < 3; request++) await other.request();
  const count = (status: number) => flooding.statuses.filter((each) => each === status).length;
  let isFlooding = true;
  const repeat = async () => {
    while (count(503) < refusalsWanted) await flooding.request();
  };
  const flood = Promise.all(Array.from({ length: parallelRequests }, repeat)).finally(() => {
    isFlooding = false;
  });
  while (isFlooding) await other.request();
  await flood;

  const served = other.statuses.filter((status) => status === 200).length;
  const refused = other.statuses.filter((status) => status === 503).length;
  expect(served + refused).toBe(other.statuses.length);
  // A stall of the machine can make the registry refuse a request of this key, too.
  expect(refused).toBeLessThanOrEqual(Math.max(2, served / 10));
  expect(count(200)).toBeGreaterThan(0);
  expect(count(200) + count(503)).toBe(flooding.statuses.length);
  expect(await edgeRefusals()).toBeGreaterThan(await registryRefusals());
  await eventually(async () => expect(await flooding.placesTaken()).toBe(count(200)));
  await eventually(async () => expect(await other.placesTaken()).toBe(served));
}, 300_000);
