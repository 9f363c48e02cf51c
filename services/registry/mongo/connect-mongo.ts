import { MongoClient } from "mongodb";
import { requireTransactions } from "./require-transactions.ts";

/** Options of {@link connectMongo}. */
export interface ConnectMongoOptions {
  /** Shown by the database server's logs and `currentOp`. Default `certificate-registry`. */
  readonly appName?: string;
  /** Maximum number of connections to each server, without those that monitor it. Default 50. */
  readonly connectionsMax?: number;
}

/**
 * Connects to the database with one connection pool, and checks that it supports transactions.
 *
 * @param uri a MongoDB connection string that names the database
 * @throws the driver's error when the server does not respond within 5 s; Error, with a one-sentence message, when it
 * does not support transactions
 */
export async function connectMongo(uri: string, options: ConnectMongoOptions = {}): Promise<MongoClient> {
  const { appName = "certificate-registry", connectionsMax = 50 } = options;
  const client = new MongoClient(uri, {
    appName,
    maxPoolSize: connectionsMax,
    serverSelectionTimeoutMS: 5_000,
    connectTimeoutMS: 5_000,
    socketTimeoutMS: 30_000,
    waitQueueTimeoutMS: 5_000,
    // Acknowledged writes are journaled on a majority of the members; reads return only majority-committed data.
    writeConcern: { w: "majority", journal: true, wtimeoutMS: 10_000 },
    readConcern: { level: "majority" },
    ignoreUndefined: true,
  });
  try {
    await client.connect();
    await requireTransactions(client);
    return client;
  } catch (error) {
    await client.close();
    throw error;
  }
}
