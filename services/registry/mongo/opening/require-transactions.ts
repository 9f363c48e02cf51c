import type { MongoClient } from "mongodb";
import { runTransaction } from "../driver/run-transaction.ts";
import { isTransient, isUnauthorized } from "../driver/transient-error.ts";

const advice = "Use a MongoDB replica set; a single node is sufficient.";
/** The collection in which {@link requireTransactions} inserts a document, in a transaction that it rolls back. */
export const probesName = "startup_probes";
const remedy = `and the registry requires them. ${advice}`;
const mongosProblem =
  "The database server is a mongos, which the registry does not support, because mongos routers do not share a clock.";

/**
 * Checks that the server belongs to a replica set, and that it rolls back a transaction.
 *
 * @throws Error when the server is a mongos, or does not support or roll back transactions. Transient errors are
 * rethrown unchanged
 */
export async function requireTransactions(client: MongoClient): Promise<void> {
  const { setName, msg } = await client.db("admin").command({ hello: 1 });
  if (msg === "isdbgrid") throw new Error(`${mongosProblem} ${advice}`);
  if (setName === undefined)
    throw new Error(`The database server is not part of a replica set, so it does not support transactions, ${remedy}`);
  const probes = client.db().collection<{ _id: string }>(probesName);
  const probe = { _id: crypto.randomUUID() };
  try {
    // Retries conflicts: replicas that start together create the collection concurrently.
    await runTransaction(client, async (session) => {
      await probes.insertOne(probe, { session });
      return { commit: false, value: undefined };
    });
  } catch (cause) {
    if (isTransient(cause)) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const grant = isUnauthorized(cause)
      ? `Grant the database user the roles readWrite and dbAdmin on the database ${client.db().databaseName}.`
      : advice;
    throw new Error(`The database server rejected a transaction (${reason}). ${grant}`, { cause });
  }
  if ((await probes.countDocuments(probe)) > 0) {
    await probes.deleteOne(probe);
    throw new Error(`The database server does not roll back transactions, ${remedy}`);
  }
}
