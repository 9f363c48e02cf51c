import { MongoClient } from "mongodb";
import type { TestContext } from "vitest";
import type { TestDatabase } from "./test-database.ts";

/**
 * Locks stores by changing them in a transaction that stays open, like the transaction of a killed replica, until
 * `unlock` is called or the test ends.
 *
 * @throws MongoServerError if another transaction is changing one of the stores
 */
export async function lockStores(
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
  { uri, collections }: Pick<TestDatabase, "uri" | "collections">,
  storeIds: readonly string[],
) {
  const client = new MongoClient(uri);
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
    .collection<{ _id: string }>(collections.stores.collectionName)
    .updateMany({ _id: { $in: [...storeIds] } }, locked, { session });
  return { session, unlock };
}
