import { MongoClient, type MongoClientOptions } from "mongodb";
import { unusableServer } from "./external-server.ts";
import { ensureReplicaSet } from "./replica-set.ts";
import { until } from "./until.ts";

const quickTimeouts: MongoClientOptions = {
  serverSelectionTimeoutMS: 500,
  connectTimeoutMS: 1_000,
  minHeartbeatFrequencyMS: 50,
};

/** Returns whether the server is a primary. If it is not, and `replicaSetHost` is set, configures its replica set. */
async function isPrimary(url: string, replicaSetHost: string | undefined): Promise<boolean> {
  // A new client for each attempt: a client whose first connection failed stays closed.
  const client = new MongoClient(url, quickTimeouts);
  try {
    const admin = client.db("admin");
    const { isWritablePrimary } = await admin.command({ hello: 1 });
    if (isWritablePrimary !== true && replicaSetHost !== undefined) await ensureReplicaSet(admin, replicaSetHost);
    return isWritablePrimary === true;
  } finally {
    await client.close();
  }
}

/**
 * Resolves when the server at `url` is a primary.
 *
 * @param replicaSetHost if set, the server is made the only member of its replica set, under this `host:port`
 */
export function databaseReady(url: string, signal: AbortSignal, replicaSetHost?: string): Promise<void> {
  return until(signal, () => isPrimary(url, replicaSetHost));
}

/**
 * Checks the server at MONGODB_URI.
 *
 * @throws SetupError when it does not answer, is a mongos or does not belong to a replica set
 */
export async function checkDatabase(uri: string, signal: AbortSignal | undefined): Promise<void> {
  let client: MongoClient | undefined;
  try {
    client = new MongoClient(uri);
    const { setName, msg } = await client.db("admin").command({ hello: 1 }, signal ? { signal } : {});
    if (msg === "isdbgrid") throw new Error("the server is a mongos, which the registry does not support");
    if (setName === undefined)
      throw new Error("the server is not part of a replica set, so it does not support transactions");
  } catch (error) {
    signal?.throwIfAborted();
    throw unusableServer("MONGODB_URI", uri, error);
  } finally {
    await client?.close();
  }
}
