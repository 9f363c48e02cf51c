import { MongoClient, MongoServerError } from "mongodb";

const lifetimeSeconds = 3;
// InvalidOptions: stand-in servers without this parameter keep their own limit.
const unknownParameterCode = 72;
const timeouts = { serverSelectionTimeoutMS: 10_000, connectTimeoutMS: 10_000, socketTimeoutMS: 10_000 };

/**
 * Lowers the lifetime of an idle transaction from 60 s to 3 s. A registry that is killed within a transaction leaves its
 * store's clock locked until the transaction expires. That is correct, but blocks changes of the store: with 60 s and
 * frequent kills most stores would be blocked most of the time.
 */
export async function shortenTransactions(databaseUrl: string): Promise<void> {
  const client = new MongoClient(databaseUrl, timeouts);
  try {
    await client.db("admin").command({ setParameter: 1, transactionLifetimeLimitSeconds: lifetimeSeconds });
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === unknownParameterCode)) throw error;
  } finally {
    await client.close();
  }
}
