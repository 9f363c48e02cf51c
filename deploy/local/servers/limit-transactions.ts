import { MongoClient, MongoServerError } from "mongodb";
import { requireContract } from "./contract/require-contract.ts";
import { type DatabaseOptions, startDatabase } from "./database-server.ts";
import type { RunningServer } from "./running-server.ts";
import { messageOf, SetupError } from "./setup-error.ts";
import { isStandIn } from "./stand-in/stand-in-databases.ts";

// The longest lifetime that is recommended for production (deploy/operations/mongodb.md).
const lifetimeSeconds = 15;
// InvalidOptions, the error of a stand-in server that lacks the parameter. The stand-in then keeps its own limit.
const unknownParameterCode = 72;
const timeouts = { serverSelectionTimeoutMS: 10_000, connectTimeoutMS: 10_000, socketTimeoutMS: 10_000 };

/**
 * Limits the lifetime of transactions to the longest recommended for production. A registry that is killed
 * during a transaction leaves the changed store's document locked until the transaction expires or another replica ends
 * it.
 */
async function limitTransactions(databaseUrl: string): Promise<void> {
  const client = new MongoClient(databaseUrl, timeouts);
  try {
    await client.db("admin").command({ setParameter: 1, transactionLifetimeLimitSeconds: lifetimeSeconds });
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === unknownParameterCode)) throw error;
  } finally {
    await client.close();
  }
}

/**
 * Starts a database server as {@link startDatabase} does. Unless it is external, limits its transactions; if it is a
 * stand-in, also requires that it behaves like MongoDB.
 */
export function startLimitedDatabase(options: Omit<DatabaseOptions, "prepare">): Promise<RunningServer> {
  const prepare: DatabaseOptions["prepare"] = async (server, program) => {
    await limitTransactions(server.url).catch((error: unknown) => {
      throw new SetupError(`The lifetime of transactions cannot be limited on ${server.kind}: ${messageOf(error)}`);
    });
    if (isStandIn(program.kind)) await requireContract(server.url, program, options);
  };
  return startDatabase({ ...options, prepare });
}
