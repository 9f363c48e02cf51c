import { afterAll, expect, onTestFinished, test } from "vitest";
import { SetupError } from "../../deploy/local/servers/setup-error.ts";
import { openTestEdge } from "../../services/edge/testing/start-edge.ts";
import { admissionTimesOf } from "../harness/admitted-requests.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { ListClient } from "../harness/list-client.ts";
import { localServer, startOwnDatabase } from "../harness/own-database.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { createTestStore } from "../harness/test-stores.ts";

const server = await startOwnDatabase({ env: localServer("secantusd-py") }).catch((error: unknown) => {
  // Installing the server requires Python and the package index. Without them, the test is skipped.
  if (error instanceof SetupError) return undefined;
  throw error;
});
afterAll(() => server?.stop());

async function startService(url: string) {
  const database = await openTestDatabase(onTestFinished, url);
  const registry = await openTestRegistry({ database }, onTestFinished);
  /** Creates a store and a client with an edge of its own. @param registryTimeoutMs time limit of the edge's calls */
  const createClient = async (certificates: number, registryTimeoutMs: number) => {
    const edge = await openTestEdge(
      { registryAddress: registry.address, registryTimeoutMs },
      { onEnd: onTestFinished },
    );
    const storeId = await createTestStore(registry);
    const items = Array.from({ length: certificates }, () => issueItem());
    await registry.issuing.issueCertificates({ items }, inStore(storeId));
    const { apiKey } = await registry.admin.createApiKey({ label: "test" }, inStore(storeId));
    const client = new ListClient(`http://127.0.0.1:${edge.port}`, apiKey);
    return {
      fetch: () => client.fetch("limit=100", { signal: AbortSignal.timeout(80_000) }),
      placesTaken: async () =>
        admissionTimesOf((await database.collections.access.findOne({ _id: storeId }))?.admitted).length,
    };
  };
  return { createClient };
}

test.skipIf(server === undefined)(
  "serves another store during 300 parallel requests of one store, whose failed requests keep no rate-limit places",
  async () => {
    const { createClient } = await startService(server?.url ?? "");
    const busy = await createClient(300, 3_000);
    const other = await createClient(10, 60_000);
    let isFlooding = true;
    const flood = Promise.all(Array.from({ length: 300 }, () => busy.fetch())).finally(() => {
      isFlooding = false;
    });
    const otherStatuses: number[] = [];
    let servedMeanwhile = 0;
    while (isFlooding) {
      otherStatuses.push((await other.fetch()).status);
      if (isFlooding) servedMeanwhile++;
    }
    const replies = await flood;
    const count = (status: number) => replies.filter((reply) => reply.status === status).length;

    expect(new Set(otherStatuses)).toEqual(new Set([200]));
    expect(servedMeanwhile).toBeGreaterThan(0);
    expect(count(200)).toBeGreaterThan(0);
    expect(count(200)).toBeLessThanOrEqual(120);
    expect(count(200) + count(429) + count(503)).toBe(300);
    for (const reply of replies)
      if (reply.status !== 200) expect(reply.headers.get("retry-after")).toMatch(/^[1-9]\d?$/);
    await eventually(async () => expect(await busy.placesTaken()).toBe(count(200)));
    expect(await other.placesTaken()).toBe(otherStatuses.length);
  },
);
