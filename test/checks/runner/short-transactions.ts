import { MongoClient, MongoServerError } from "mongodb";

const lifetimeSeconds = 3;
// "InvalidOptions": a server that speaks MongoDB but has no such setting keeps its own limit.
const unknownSettingCode = 72;
const waits = { serverSelectionTimeoutMS: 10_000, connectTimeoutMS: 10_000, socketTimeoutMS: 10_000 };

/**
 * Makes the database give up a transaction that nobody carries on after 3 s, not 60. A registry that is killed in the midst
 * of one leaves its store's clock locked until then: nothing is wrong, but no change of that store is possible. With
 * 60 s most stores would be waiting most of the time.
 */
export async function shortenTransactions(databaseUrl: string): Promise<void> {
  const client = new MongoClient(databaseUrl, waits);
  try {
    await client.db("admin").command({ setParameter: 1, transactionLifetimeLimitSeconds: lifetimeSeconds });
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === unknownSettingCode)) throw error;
  } finally {
    await client.close();
  }
}
