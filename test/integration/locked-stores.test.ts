import { MongoClient } from "mongodb";
import { expect, onTestFinished, test } from "vitest";
import { createTestLedger } from "../harness/ledger-fixture.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const { database } = registry;

// The commit queue's default number of concurrent transactions.
const transactionsMax = 16;

/** Locks the clocks of stores, as a replica does that is killed during its transactions. */
async function lockStores(storeIds: readonly string[]) {
  const client = new MongoClient(database.uri);
  const session = client.startSession();
  const unlock = async () => {
    await session.endSession();
    await client.close();
  };
  onTestFinished(unlock);
  session.startTransaction();
  const locked = { $set: { lastSerial: 1_000 } };
  await client
    .db()
    .collection<{ _id: string }>(database.collections.stores.collectionName)
    .updateMany({ _id: { $in: [...storeIds] } }, locked, { session });
  return { unlock };
}

test("a store's change commits while as many stores are locked as transactions may run", async () => {
  const lockedIds = await Promise.all(Array.from({ length: transactionsMax }, () => createTestStore(registry)));
  const freeId = await createTestStore(registry);
  const { unlock } = await lockStores(lockedIds);
  const { issue } = createTestLedger(database);
  const ended: string[] = [];
  const changes = Promise.allSettled(lockedIds.map((storeId) => issue(storeId).finally(() => ended.push(storeId))));
  await issue(freeId);
  expect(ended).toEqual([]);
  await unlock();
  const outcomes = await changes;
  expect(outcomes.map(({ status }) => status)).toEqual(Array(transactionsMax).fill("fulfilled"));
}, 30_000);
