import { MongoClient } from "mongodb";
import { requireTransactions } from "./require-transactions.ts";

/**
 * Connects to the database and makes sure that it can do what the registry stands on.
 *
 * @param uri a MongoDB connection string that names the database
 * @throws Error, with the reason in one sentence, when the server does not answer within ten seconds or has no transactions
 */
export async function connectMongo(uri: string): Promise<MongoClient> {
  const client = new MongoClient(uri, {
    appName: "certificate-registry",
    maxPoolSize: 50,
    serverSelectionTimeoutMS: 10_000,
    connectTimeoutMS: 5_000,
    socketTimeoutMS: 30_000,
    waitQueueTimeoutMS: 5_000,
    // A change that was told as done is on the disks of a majority, and nothing else is ever read.
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
