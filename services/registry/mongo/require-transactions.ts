import type { MongoClient } from "mongodb";

/**
 * Tries a transaction that writes and is rolled back.
 *
 * @throws Error when the server has no transactions, or only pretends to
 */
export async function requireTransactions(client: MongoClient): Promise<void> {
  const probes = client.db().collection<{ _id: string }>("startup_probes");
  const probe = { _id: crypto.randomUUID() };
  const session = client.startSession();
  try {
    session.startTransaction();
    await probes.insertOne(probe, { session });
    await session.abortTransaction();
  } catch (cause) {
    throw new Error(explain(cause), { cause });
  } finally {
    await session.endSession();
  }
  if ((await probes.countDocuments(probe)) > 0) {
    await probes.deleteOne(probe);
    throw new Error(
      "The database server does not roll back transactions, and the registry cannot work without them. Use a MongoDB replica set.",
    );
  }
}

function explain(cause: unknown): string {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return `The database server refuses transactions (${reason}), and the registry cannot work without them. Use a MongoDB replica set; a single-node one will do.`;
}
