import { expect, test } from "vitest";
import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { type RawReply, request } from "../../services/edge/testing/raw-http.ts";
import { openTestEdge, stoppedClock } from "../../services/edge/testing/start-edge.ts";
import { inStore } from "../harness/in-store.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createKeyedStore } from "../harness/test-stores.ts";

const limit = 20;
const env = { REGISTRY_RATE_LIMIT: String(limit), REGISTRY_RATE_LIMIT_WINDOW_MS: "60000" };
const registry = await openTestRegistry({ env });
const edge = await openTestEdge({ registryAddress: registry.address }, { clock: stoppedClock });

async function createStoreWithoutPlan() {
  const { storeId, apiKey } = await createKeyedStore(registry);
  await registry.admin.setPlan({ plan: Plan.BASIC }, inStore(storeId));
  const ask = () => request(edge.port, "GET /v1/certificates?limit=1", [`Authorization: Bearer ${apiKey}`]);
  return { storeId, ask };
}

/** Returns the last stored decision, which every write of an admission changes. */
async function writtenDecision(storeId: string) {
  const document = await registry.database.collections.access.findOne({ _id: storeId });
  return document?.decision;
}

test("requests with the key of a store without the Pro plan cause one write, and get 403 up to the rate limit and 429 beyond it", async () => {
  const { storeId, ask } = await createStoreWithoutPlan();
  expect((await ask()).status).toBe(403);
  const written = await writtenDecision(storeId);
  const replies: RawReply[] = [];
  for (let round = 0; round < 15; round++) replies.push(...(await Promise.all(Array.from({ length: 40 }, ask))));
  expect(await writtenDecision(storeId)).toEqual(written);
  const count = (status: number) => replies.filter((reply) => reply.status === status).length;
  // The request before these 600 counts against the limit as well.
  expect([count(403), count(429)]).toEqual([limit - 1, 600 - (limit - 1)]);
  for (const { body, headers } of replies.filter(({ status }) => status === 429)) {
    expect(JSON.parse(body)).toMatchObject({ error: "rate_limited", message: expect.stringContaining("Pro plan") });
    expect(Number(headers["retry-after"])).toBeGreaterThanOrEqual(1);
  }
});

test("a plan upgrade takes effect on the next request with a key that was refused because of the plan", async () => {
  const { storeId, ask } = await createStoreWithoutPlan();
  for (let count = 0; count < 5; count++) expect((await ask()).status).toBe(403);
  await registry.admin.setPlan({ plan: Plan.PRO }, inStore(storeId));
  expect((await ask()).status).toBe(200);
});
