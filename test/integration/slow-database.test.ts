import { afterAll, expect, test } from "vitest";
import { SetupError } from "../../deploy/local/servers/setup-error.ts";
import { startEdge } from "../../services/edge/testing/start-edge.ts";
import { eventually } from "../harness/eventually.ts";
import { issueItem } from "../harness/issue-items.ts";
import { ListClient } from "../harness/list-client.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { startSlowDatabase } from "../harness/slow-database.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { createTestStore } from "../harness/test-stores.ts";

const server = await startSlowDatabase().catch((error: unknown) => {
  // Needs Python and the package index; machines without them run this test in another place.
  if (error instanceof SetupError) return undefined;
  throw error;
});

async function startService(url: string) {
  const database = await openTestDatabase(url);
  const registry = await openTestRegistry({ database });
  const edge = await startEdge({ registryAddress: registry.address, registryTimeoutMs: 10_000 });
  afterAll(async () => {
    await edge.stop();
    await registry.stop();
    await database.close();
    await server?.stop();
  });
  const createClient = async (certificates: number) => {
    const storeId = await createTestStore(registry);
    const items = Array.from({ length: certificates }, () => issueItem());
    await registry.issuing.issueCertificates({ storeId, items });
    const { apiKey } = await registry.admin.createApiKey({ storeId, label: "test" });
    return { storeId, client: new ListClient(`http://127.0.0.1:${edge.port}`, apiKey) };
  };
  const placesTaken = async (storeId: string) =>
    (await database.collections.access.findOne({ _id: storeId }))?.admitted.length;
  return { createClient, placesTaken };
}

test.skipIf(server === undefined)(
  "300 parallel requests of one store use no place up with 503, and do not prevent another store from being served",
  { timeout: 90_000 },
  async () => {
    const { createClient, placesTaken } = await startService(server?.url ?? "");
    const [busy, other] = [await createClient(300), await createClient(10)];
    let isFlooding = true;
    const flood = Promise.all(Array.from({ length: 300 }, () => busy.client.fetch("limit=100"))).finally(() => {
      isFlooding = false;
    });
    const otherStatuses: number[] = [];
    while (isFlooding) otherStatuses.push((await other.client.fetch("")).status);
    const replies = await flood;
    const count = (status: number) => replies.filter((reply) => reply.status === status).length;

      ok: count(200),
      limited: count(429),
      unavailable: count(503),
      other: otherStatuses,
      taken: await placesTaken(busy.storeId),
    });
    expect(new Set(otherStatuses)).toEqual(new Set([200]));
    expect(count(200)).toBeGreaterThan(0);
    expect(count(200)).toBeLessThanOrEqual(120);
    expect(count(200) + count(429) + count(503)).toBe(300);
    for (const reply of replies)
      if (reply.status !== 200) expect(reply.headers.get("retry-after")).toMatch(/^[1-9]\d?$/);
    await eventually(async () => expect(await placesTaken(busy.storeId)).toBe(count(200)), { withinMs: 30_000 });
    expect(await placesTaken(other.storeId)).toBe(otherStatuses.length);
  },
);
