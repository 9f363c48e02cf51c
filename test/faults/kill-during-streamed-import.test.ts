import { afterAll, expect, test } from "vitest";
import { inStore } from "#shared/rpc/scope-metadata.ts";
import { defaultLifetimeSeconds, limitTransactions } from "../../deploy/local/servers/limit-transactions.ts";
import { eventually } from "../harness/eventually.ts";
import { issueItem } from "../harness/issue-items.ts";
import { createStoreClient, openProcessStack } from "../harness/stack/process-stack.ts";

const itemCount = 3_000;
const batchSize = 40;
const killCount = 2;

const stack = await openProcessStack();
await limitTransactions(stack.database.uri);
// Restores the default, because other test files use the same server.
afterAll(() => limitTransactions(stack.database.uri, defaultLifetimeSeconds));
const { storeId, client } = await createStoreClient(stack);
const items = Array.from({ length: itemCount }, (_, index) => issueItem({ buyer: { name: `Buyer ${index}` } }));

async function* batchesFrom(position: number) {
  for (let start = position; start < itemCount; start += batchSize)
    yield { idempotencyKey: "spring", position: BigInt(start), items: items.slice(start, start + batchSize) };
}

/** Imports all items; resumes at the last response's next position after a failure. @returns the number of failures */
async function importAll(): Promise<number> {
  let position = 0;
  for (let breaks = 0; ; breaks++) {
    try {
      for await (const reply of stack.issuing.importCertificates(batchesFrom(position), inStore(storeId)))
        position = Number(reply.nextPosition);
      return breaks;
    } catch {
      await eventually(() => stack.admin.getStore({}, inStore(storeId)), { withinMs: 30_000 });
    }
  }
}

test("a streamed import issues one certificate per item, in sequence, even if items name no order and the registry is killed", {
  timeout: 180_000,
}, async () => {
  const issuedCount = () => stack.database.collections.certificates.countDocuments({ store: storeId });
  const importing = importAll();
  for (let kill = 1; kill <= killCount; kill++) {
    const target = (itemCount / (killCount + 1)) * kill;
    await eventually(async () => expect(await issuedCount()).toBeGreaterThanOrEqual(target), { withinMs: 60_000 });
    await stack.registry.kill();
    await stack.registry.start();
  }
  expect(await importing).toBeGreaterThan(0);
  // The edge needs a moment to connect to the restarted registry.
  await eventually(() => client.page({ limit: "1" }), { withinMs: 30_000 });
  const names = (await client.all({ limit: "100" })).map(({ owner }) => owner.name);
  expect(names).toEqual(items.map((_, index) => `Buyer ${index}`));
});
