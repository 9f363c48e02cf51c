import { type MongoClient, MongoNetworkError, MongoServerSelectionError } from "mongodb";
import type { Clock } from "#shared/time/clock.ts";
import { runTransaction } from "./run-transaction.ts";

const remedy =
  "and the registry cannot work without them. Use a MongoDB replica set; a single-node one will do.";

/**
 * Makes sure that the server is part of a replica set or a sharded cluster, and tries a transaction that writes and is
 * rolled back.
 *
 * @throws Error when the server has no transactions, or only pretends to; errors of the network as they are
 */
export async function requireTransactions(client: MongoClient, clock: Clock): Promise<void> {
  const { setName, msg } = await client.db("admin").command({ hello: 1 });
  if (setName === undefined && msg !== "isdbgrid")
    throw new Error(`The database server is not part of a replica set, so it has no transactions, ${remedy}`);
  const probes = client.db().collection<{ _id: string }>("startup_probes");
  const probe = { _id: crypto.randomUUID() };
  try {
    // Run again after a conflict: replicas that start together make the collection at the same time.
    await runTransaction(client, clock, async (session) => {
      await probes.insertOne(probe, { session });
      return { commit: false, value: undefined };
    });
  } catch (cause) {
    if (cause instanceof MongoNetworkError || cause instanceof MongoServerSelectionError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The database server refuses transactions (${reason}), ${remedy}`, { cause });
  }
  if ((await probes.countDocuments(probe)) > 0) {
    await probes.deleteOne(probe);
    throw new Error(`The database server does not roll back transactions, ${remedy}`);
  }
}
