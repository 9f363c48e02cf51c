import { beforeEach, expect, onTestFinished, test } from "vitest";
import { openTestEdge } from "../../services/edge/testing/start-edge.ts";
import { startCutProxy } from "../harness/cut-proxy.ts";
import { eventually } from "../harness/eventually.ts";
import { ListClient } from "../harness/list-client.ts";
import { metricValues } from "../harness/metric-values.ts";
import { startTestRegistry, type TestRegistry } from "../harness/registry-fixture.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { createKeyedStore } from "../harness/test-stores.ts";

const database = await openTestDatabase();
// On a busy machine, requests take seconds; none is to be cut off when a registry stops.
const env = { REGISTRY_RATE_LIMIT: "10000", REGISTRY_SHUTDOWN_GRACE_MS: "30000" };

let registries: readonly [TestRegistry, TestRegistry];
let apiKey: string;
beforeEach(async () => {
  registries = [await startTestRegistry({ database, env }), await startTestRegistry({ database, env })];
  ({ apiKey } = await createKeyedStore(registries[0]));
});

async function openEdge(addresses: readonly string[], { registryTimeoutMs = 60_000, streamAgeMs = 600_000 } = {}) {
  const registryAddress = `ipv4:${addresses.join(",")}`;
  const edge = await openTestEdge({ registryAddress, registryTimeoutMs }, { streamAgeMs, onEnd: onTestFinished });
  const operationsUrl = `http://127.0.0.1:${edge.operationsPort}`;
  return {
    client: new ListClient(`http://127.0.0.1:${edge.port}`, apiKey),
    streams: async () => (await metricValues(operationsUrl, "edge_registry_streams"))[""],
    /** Why requests got 503. */
    refusals: () => edge.log.flatMap(({ reason }) => (reason === undefined ? [] : [reason])),
    ended: async (how: string) =>
      (await metricValues(operationsUrl, "edge_registry_stream_ends_total"))[`how="${how}"`] ?? 0,
  };
}

/** Sends requests, four at a time, until `stop` is called. */
function startRequests(client: ListClient) {
  const statuses: string[] = [];
  let isRunning = true;
  const repeat = async () => {
    while (isRunning) {
      const reply = await client.fetch("limit=1");
      await reply.arrayBuffer();
      const retryAfter = reply.headers.get("retry-after");
      // A client that is refused must learn when to try again.
      statuses.push(
        retryAfter === null
          ? String(reply.status)
          : `${reply.status}, Retry-After ${/^[1-5]$/.test(retryAfter) ? "1 to 5" : retryAfter}`,
      );
    }
  };
  const running = Promise.all(Array.from({ length: 4 }, repeat));
  const more = async (count: number) => {
    const target = statuses.length + count;
    await eventually(() => expect(statuses.length).toBeGreaterThanOrEqual(target));
  };
  const stop = async () => {
    isRunning = false;
    await running;
    return new Set(statuses);
  };
  return { more, stop };
}

const portOf = ({ address }: TestRegistry) => address.split(":")[1] ?? "";

const served = async ({ operationsUrl }: TestRegistry) => {
  const counts = await metricValues(operationsUrl, "registry_grpc_call_duration_seconds_count");
  return counts['method="registry.v1.ListExchangeService/Exchange",code="OK"'] ?? 0;
};

test("sends requests to both registries, and loses none while one of them is restarted", async () => {
  const [first, second] = registries;
  const edge = await openEdge([first.address, second.address]);
  await eventually(async () => expect(await edge.streams()).toBe(2));
  const requests = startRequests(edge.client);
  await requests.more(40);
  for (const registry of registries) expect(await served(registry)).toBeGreaterThan(5);
  await first.stop();
  await requests.more(20);
  const restarted = await startTestRegistry({ database, env: { ...env, REGISTRY_PORT: portOf(first) } });
  await eventually(async () => expect(await edge.streams()).toBe(2));
  await requests.more(20);
  expect(await served(restarted)).toBeGreaterThan(0);
  await second.stop();
  await requests.more(20);
  const statuses = await requests.stop();
  expect(edge.refusals()).toEqual([]);
  expect(statuses).toEqual(new Set(["200"]));
  expect(await edge.ended("broken")).toBe(0);
  await restarted.stop();
});

test("sends new requests to the other registry after the connection to one is cut", async () => {
  const [first, second] = registries;
  const link = await startCutProxy(first.address, onTestFinished);
  const edge = await openEdge([link.address, second.address]);
  await eventually(async () => expect(await edge.streams()).toBe(2));
  const requests = startRequests(edge.client);
  await requests.more(20);
  link.cut();
  await eventually(async () => expect(await edge.streams()).toBe(1));
  await requests.stop();
  const after = startRequests(edge.client);
  await after.more(20);
  expect(await after.stop()).toEqual(new Set(["200"]));
  link.heal();
  await eventually(async () => expect(await edge.streams()).toBe(2));
  link.cut();
  await Promise.all(registries.map((registry) => registry.stop()));
});

test("prefers the other registry once a request to an unresponsive one has timed out", async () => {
  const [first, second] = registries;
  const link = await startCutProxy(first.address, onTestFinished);
  const edge = await openEdge([link.address, second.address], { registryTimeoutMs: 5_000 });
  await eventually(async () => expect(await edge.streams()).toBe(2));
  link.loseReplies();
  const status = async () => (await edge.client.fetch("limit=1")).status;
  await eventually(async () => expect(await status()).toBe(503));
  const before = await served(first);
  // On a busy machine, the other registry may refuse a request, too.
  for (let request = 0; request < 10; request++) await eventually(async () => expect(await status()).toBe(200));
  // A second registry that stands still for five seconds would be as silent as the first.
  expect(await served(first)).toBeLessThan(before + 3);
  link.cut();
  await Promise.all(registries.map((registry) => registry.stop()));
});

test("answers 503 while the edge's only registry is restarted, and serves requests afterwards", async () => {
  const [first, second] = registries;
  await second.stop();
  const edge = await openEdge([first.address]);
  const requests = startRequests(edge.client);
  await requests.more(10);
  await first.stop();
  await requests.more(50);
  const restarted = await startTestRegistry({ database, env: { ...env, REGISTRY_PORT: portOf(first) } });
  await eventually(async () => expect(await edge.streams()).toBe(1));
  expect(await requests.stop()).toEqual(new Set(["200", "503, Retry-After 1 to 5"]));
  expect((await edge.client.fetch("limit=1")).status).toBe(200);
  await restarted.stop();
});

test("replaces a stream at its maximum age without losing a request", async () => {
  const edge = await openEdge([registries[0].address], { streamAgeMs: 150 });
  const requests = startRequests(edge.client);
  await eventually(async () => expect(await edge.ended("drained")).toBeGreaterThan(5));
  expect(await requests.stop()).toEqual(new Set(["200"]));
  expect(await edge.ended("broken")).toBe(0);
  await Promise.all(registries.map((registry) => registry.stop()));
});
