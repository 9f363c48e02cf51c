import { expect, test } from "vitest";
import { networkList } from "#shared/address-guard/network.ts";
import { generateApiKey } from "#shared/keys/api-key.ts";
import { request } from "../../services/edge/testing/raw-http.ts";
import { openTestEdge, stoppedClock } from "../../services/edge/testing/start-edge.ts";
import { metricValues } from "../harness/metric-values.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createKeyedStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const trustedProxies = networkList.parse("127.0.0.1/32");
const edge = await openTestEdge({ registryAddress: registry.address, trustedProxies }, { clock: stoppedClock });
const { apiKey: goodKey } = await createKeyedStore(registry);

// These tests open hundreds of connections.
const flooder = "203.0.113.66";
const ask = (apiKey: string, from: string) =>
  request(edge.port, "GET /v1/certificates", [`Authorization: Bearer ${apiKey}`, `X-Forwarded-For: ${from}`]);
const lookUps = async () => {
  const counts = await metricValues(registry.operationsUrl, "registry_grpc_call_duration_seconds_count");
  return counts['method="registry.v1.ListExchangeService/Exchange",code="OK"'] ?? 0;
};

test("limits look-ups of unknown keys per address, but admits a known key from a limited address", async () => {
  expect((await ask(goodKey, flooder)).status).toBe(200);
  const before = await lookUps();
  const stores = await registry.database.collections.access.find().toArray();
  const replies = [];
  for (let round = 0; round < 10; round++)
    replies.push(...(await Promise.all(Array.from({ length: 40 }, () => ask(generateApiKey(), flooder)))));
  const limited = replies.filter(({ status }) => status === 429);
  const asked = (await lookUps()) - before;
  expect(replies.filter(({ status }) => status === 401)).toHaveLength(replies.length - limited.length);
  expect(limited.length).toBeGreaterThan(0);
  expect(asked).toBe(100);
  expect(asked).toBe(replies.length - limited.length);
  for (const { headers, body } of limited) {
    expect(JSON.parse(body)).toMatchObject({ error: "rate_limited" });
    expect(Number(headers["retry-after"])).toBeGreaterThanOrEqual(1);
    expect(headers).not.toHaveProperty("ratelimit");
  }
  expect(await registry.database.collections.access.find().toArray()).toEqual(stores);
  expect((await ask(goodKey, flooder)).status).toBe(200);
  expect((await ask(generateApiKey(), "203.0.113.67")).status).toBe(401);
});

test("limits look-ups of unknown keys that come from many networks of one IPv6 /48 prefix", async () => {
  const before = await lookUps();
  const replies = [];
  for (let round = 0; round < 15; round++) {
    const networks = Array.from({ length: 40 }, (_, index) => (round * 40 + index).toString(16));
    replies.push(...(await Promise.all(networks.map((network) => ask(generateApiKey(), `2001:db8:66:${network}::1`)))));
  }
  // 200 is the budget of the /48 network; each of its three /56 networks in use has a budget of 150.
  expect((await lookUps()) - before).toBe(200);
  expect(replies.filter(({ status }) => status === 429)).toHaveLength(400);
  expect((await ask(generateApiKey(), "2001:db8:67::1")).status).toBe(401);
});

test("looks up a repeated unknown key once and responds with 401 every time", async () => {
  const badKey = generateApiKey();
  const before = await lookUps();
  for (let count = 0; count < 5; count++) expect((await ask(badKey, "203.0.113.68")).status).toBe(401);
  expect((await lookUps()) - before).toBe(1);
});

test("logs the client address that the trusted proxy reports, not one that the client forges", async () => {
  const reply = await ask(generateApiKey(), "198.51.100.1, 2001:DB8::7");
  const line = edge.log.find(({ requestId }) => requestId === reply.headers["x-request-id"]);
  expect(line).toMatchObject({ client: "2001:db8::7" });
});
