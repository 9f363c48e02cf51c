import { MongoClient, MongoServerError } from "mongodb";

// The longest lifetime that is recommended for production (deploy/OPERATIONS.md).
const recommendedSeconds = 15;
/** MongoDB's default lifetime of transactions, in seconds. */
export const defaultLifetimeSeconds = 60;
// InvalidOptions: stand-in servers without this parameter keep their own limit.
const unknownParameterCode = 72;
const timeouts = { serverSelectionTimeoutMS: 10_000, connectTimeoutMS: 10_000, socketTimeoutMS: 10_000 };

/**
 * Limits the lifetime of transactions, by default to the maximum recommended for production. A registry
 * that is killed during a transaction leaves the clock of the transaction's store locked until the transaction expires
 * or another replica ends it.
 */
export async function limitTransactions(databaseUrl: string, lifetimeSeconds = recommendedSeconds): Promise<void> {
  const client = new MongoClient(databaseUrl, timeouts);
  try {
    await client.db("admin").command({ setParameter: 1, transactionLifetimeLimitSeconds: lifetimeSeconds });
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === unknownParameterCode)) throw error;
  } finally {
    await client.close();
  }
}
