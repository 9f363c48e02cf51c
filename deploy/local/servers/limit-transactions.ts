import { MongoClient, MongoServerError } from "mongodb";
import { startDatabase } from "./database-server.ts";
import type { RunningServer } from "./running-server.ts";
import { messageOf, SetupError } from "./setup-error.ts";

// The longest lifetime that is recommended for production (deploy/OPERATIONS.md).
const recommendedSeconds = 15;
/** MongoDB's default transaction lifetime, in seconds. */
export const defaultLifetimeSeconds = 60;
// InvalidOptions, the error of a stand-in server that lacks the parameter. The stand-in then keeps its own limit.
const unknownParameterCode = 72;
const timeouts = { serverSelectionTimeoutMS: 10_000, connectTimeoutMS: 10_000, socketTimeoutMS: 10_000 };

/**
 * Limits the lifetime of transactions, by default to the longest recommended for production. A registry that is killed
 * during a transaction leaves the changed store's document locked until the transaction expires or another replica ends
 * it.
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

/** Starts a database server as {@link startDatabase} does, and limits its transactions unless it is external. */
export async function startLimitedDatabase(options: Parameters<typeof startDatabase>[0]): Promise<RunningServer> {
  const server = await startDatabase(options);
  // An external server keeps the configuration that its operator gave it.
  if (server.pid === null) return server;
  try {
    await limitTransactions(server.url);
    return server;
  } catch (error) {
    await server.stop();
    throw new SetupError(`The lifetime of transactions cannot be limited on ${server.kind}: ${messageOf(error)}`);
  }
}
