import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { networkList } from "#shared/address-guard/network.ts";
import { generateApiKey } from "#shared/keys/api-key.ts";
import { type RawReply, request } from "../../services/edge/testing/raw-http.ts";
import { startEdge, type TestEdge } from "../../services/edge/testing/start-edge.ts";
import { eventually } from "../harness/eventually.ts";
import { openTestRegistry, startTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const { database } = registry;
const trustedProxies = networkList.parse("127.0.0.1/32");
const flooder = "203.0.113.66";

const openEdge = (registryAddress: string) => startEdge({ registryAddress, registryTimeoutMs: 20_000, trustedProxies });
const ask = (edge: TestEdge, apiKey: string): Promise<RawReply> =>
  request(edge.port, "GET /v1/certificates?limit=1", [
    `Authorization: Bearer ${apiKey}`,
    `X-Forwarded-For: ${flooder}`,
  ]);

async function createKey() {
  const storeId = await createTestStore(registry);
  const { apiKey, keyId } = await registry.admin.createApiKey({ storeId, label: "test" });
  return { storeId, apiKey, keyId };
}

describe("an edge that has just started, and whose client's address has used up its budget for unknown keys", () => {
  const keys = { used: "", unused: "", revoked: "" };
  let edge: TestEdge;
  beforeAll(async () => {
    const [used, unused, revoked] = [await createKey(), await createKey(), await createKey()];
    Object.assign(keys, { used: used.apiKey, unused: unused.apiKey, revoked: revoked.apiKey });
    const replica = await startTestRegistry({ database });
    const other = await openEdge(replica.address);
    for (const { apiKey } of [used, revoked]) expect((await ask(other, apiKey)).status).toBe(200);
    await registry.admin.revokeApiKey(revoked);
    await other.stop();
    // Writes the uses that the replica has seen.
    await replica.stop();
    edge = await openEdge(registry.address);
    await eventually(
      () => expect(edge.log).toContainEqual(expect.objectContaining({ msg: "loaded recently used keys" })),
      {
        withinMs: 20_000,
      },
    );
    let limited = false;
    while (!limited) {
      const replies = await Promise.all(Array.from({ length: 40 }, () => ask(edge, generateApiKey())));
      limited = replies.some(({ status }) => status === 429);
    }
  });
  afterAll(() => edge.stop());

  test("admits a key that another replica has seen to be valid", async () => {
    for (let count = 0; count < 5; count++) expect((await ask(edge, keys.used)).status).toBe(200);
  });

  test("answers 429 for a valid key that no replica has seen, and for one that was revoked", async () => {
    const tokens = () => Promise.all(Array.from({ length: 40 }, () => ask(edge, generateApiKey())));
    for (const apiKey of [keys.unused, keys.revoked]) {
      await tokens();
      expect((await ask(edge, apiKey)).status).toBe(429);
    }
  });
});
