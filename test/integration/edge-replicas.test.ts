import { setTimeout as delay } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { generateApiKey } from "#shared/keys/api-key.ts";
import { openTestEdge } from "../../services/edge/testing/start-edge.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { ListClient } from "../harness/list-client.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createKeyedStore } from "../harness/test-stores.ts";

// Three edges call two registries that share a database.
// On a busy machine, 300 requests can take longer than the default window.
const env = { REGISTRY_RATE_LIMIT_WINDOW_MS: "600000" };
const registry = await openTestRegistry({ env });
const other = await openTestRegistry({ env, database: registry.database });
const edges = [
  await openTestEdge({ registryAddress: registry.address }),
  await openTestEdge({ registryAddress: other.address }),
  await openTestEdge({ registryAddress: registry.address }),
];

const clientsOf = (apiKey: string) => edges.map(({ port }) => new ListClient(`http://127.0.0.1:${port}`, apiKey));

// Five seconds and more, in which an idle registry sheds no request.
const repeatsMax = 50;

/**
 * Sends a request until it gets another status than 503: on a busy machine, a registry may shed requests. These do not
 * count against the rate limit, so they can be sent again. Gives up after 50 repetitions.
 *
 * @param onShed called for each 503
 */
async function ask(client: ListClient, onShed?: () => void, query = "limit=1"): Promise<Response> {
  for (let repeats = 0; ; repeats++) {
    const reply = await client.fetch(query);
    if (reply.status !== 503 || repeats === repeatsMax) return reply;
    onShed?.();
    await delay(100);
  }
}

/** Sends one request to each edge. @returns the statuses */
async function statuses(apiKey: string) {
  const replies = await Promise.all(clientsOf(apiKey).map((client) => ask(client)));
  return replies.map(({ status }) => status);
}

let storeId: string;
let apiKey: string;
let keyId: string;
beforeEach(async () => {
  ({ storeId, apiKey, keyId } = await createKeyedStore(registry));
});

describe("every edge immediately", () => {
  const answersAll = async (key: string, expected: number) => {
    expect(await statuses(key)).toEqual([expected, expected, expected]);
  };

  test("refuses a revoked key", async () => {
    await answersAll(apiKey, 200);
    await registry.admin.revokeApiKey({ keyId }, inStore(storeId));
    await answersAll(apiKey, 401);
    await answersAll(apiKey, 401);
  });

  test("applies a downgrade and an upgrade of the plan", async () => {
    await answersAll(apiKey, 200);
    for (const [plan, status] of [
      [Plan.BASIC, 403],
      [Plan.PRO, 200],
    ] as const) {
      await registry.admin.setPlan({ plan }, inStore(storeId));
      await answersAll(apiKey, status);
    }
  });

  test("admits a newly created key from a client that has just sent an unknown key", async () => {
    await answersAll(generateApiKey(), 401);
    const created = await registry.admin.createApiKey({ label: "new" }, inStore(storeId));
    await answersAll(created.apiKey, 200);
  });

  test("refuses a rolled key after its grace period and admits its replacement", async () => {
    const gracePeriod = { seconds: 1n };
    const rolled = await registry.admin.rollApiKey({ keyId, gracePeriod }, inStore(storeId));
    await answersAll(rolled.apiKey, 200);
    const remainingKeys = async () => (await registry.admin.listApiKeys({}, inStore(storeId))).keys;
    await eventually(async () => expect(await remainingKeys()).toHaveLength(1));
    await answersAll(apiKey, 401);
    await answersAll(rolled.apiKey, 200);
  });
});

test("admits exactly 120 of 300 concurrent requests across three edges, with RateLimit headers on each 200 and 429 response", async () => {
  const clients = clientsOf(apiKey);
  let shed = 0;
  const askAll = () => clients.map((client) => ask(client, () => shed++));
  const replies = await Promise.all(Array.from({ length: 100 }, askAll).flat());
  const count = (status: number) => replies.filter((reply) => reply.status === status).length;
  // Until the place of a request that was shed is given back, others get 429. No other place may be free.
  expect(120 - count(200)).toBeLessThanOrEqual(shed);
  const refill = async () => {
    if (count(200) < 120) replies.push(...(await Promise.all(askAll())));
    expect(count(200)).toBeGreaterThanOrEqual(120);
  };
  await eventually(refill, { everyMs: 100 });
  expect([count(200), count(429)]).toEqual([120, replies.length - 120]);
  for (const reply of replies) {
    expect(reply.headers.get("ratelimit-policy")).toBe('"default";q=120;w=600');
    expect(reply.headers.get("ratelimit")).toMatch(/^"default";r=\d+;t=\d+$/);
    const retryAfter = reply.headers.get("retry-after");
    if (reply.status !== 429) expect(retryAfter).toBeNull();
    else expect(retryAfter).toMatch(/^[1-9]\d{0,2}$/);
  }
});

test.each([
  ["200", "limit=1", Plan.PRO],
  ["400", "limit=0", Plan.PRO],
  ["403", "limit=1", Plan.BASIC],
])("sends the RateLimit headers with status %s, but not in response to an unknown key", async (status, query, plan) => {
  await registry.admin.setPlan({ plan }, inStore(storeId));
  const askFirst = (key: string) =>
    Promise.all(
      clientsOf(key)
        .slice(0, 1)
        .map((client) => ask(client, undefined, query)),
    );
  const [reply] = await askFirst(apiKey);
  expect([String(reply?.status), reply?.headers.get("ratelimit-policy")]).toEqual([status, '"default";q=120;w=600']);
  expect(reply?.headers.get("ratelimit")).toMatch(/^"default";r=(119|120);t=(0|600)$/);
  const [unknown] = await askFirst(generateApiKey());
  expect(unknown?.headers.has("ratelimit")).toBe(false);
});
