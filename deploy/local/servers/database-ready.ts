import { MongoClient, type MongoClientOptions } from "mongodb";
import { withoutCredentials } from "./external-server.ts";
import { ensureReplicaSet } from "./replica-set.ts";
import { SetupError, sentenceOf } from "./setup-error.ts";
import { until } from "./until.ts";

const impatient: MongoClientOptions = {
  serverSelectionTimeoutMS: 500,
  connectTimeoutMS: 1_000,
  minHeartbeatFrequencyMS: 50,
};

/** One look at the server; whether it is a primary. */
async function isPrimary(url: string, replicaSetHost: string | undefined): Promise<boolean> {
  // A client of its own for each attempt: after a first connection that failed a client stays closed.
  const client = new MongoClient(url, impatient);
  try {
    const admin = client.db("admin");
    const { isWritablePrimary } = await admin.command({ hello: 1 });
    if (isWritablePrimary !== true && replicaSetHost !== undefined)
      await ensureReplicaSet(admin, replicaSetHost);
    return isWritablePrimary === true;
  } finally {
    await client.close();
  }
}

/** Resolves when the server at `url` is a primary; with `replicaSetHost` it is made the only member of its replica set. */
export function databaseReady(url: string, signal: AbortSignal, replicaSetHost?: string): Promise<void> {
  return until(signal, () => isPrimary(url, replicaSetHost));
}

/** SetupError unless the server of MONGODB_URI answers within 30 s and is one that knows transactions. */
export async function checkDatabase(uri: string, signal: AbortSignal | undefined): Promise<void> {
  const way = "start or correct it, or unset MONGODB_URI to use a server of this machine";
  let client: MongoClient | undefined;
  try {
    client = new MongoClient(uri);
    const { setName, msg } = await client.db("admin").command({ hello: 1 }, signal ? { signal } : {});
    if (setName !== undefined || msg === "isdbgrid") return;
    throw new Error("it is not a replica set, so it has no transactions");
  } catch (error) {
    signal?.throwIfAborted();
    throw new SetupError(
      `MONGODB_URI (${withoutCredentials(uri)}) cannot be used (${sentenceOf(error)}): ${way}.`,
    );
  } finally {
    await client?.close();
  }
}
