import { MongoClient, MongoNetworkError, MongoServerSelectionError } from "mongodb";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import { requireTransactions } from "./require-transactions.ts";

/** How {@link connectMongo} waits. */
export interface ConnectMongoOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long it waits for a server that does not answer. Default 60,000. */
  readonly timeLimitMs?: number;
}

const pauseMs = 1_000;

/**
 * Connects to the database, waiting for one that is not up yet, and makes sure that it can do what the registry stands
 * on.
 *
 * @param uri a MongoDB connection string that names the database
 * @throws Error, with the reason in one sentence, when the server does not answer in time or has no transactions
 */
export async function connectMongo(uri: string, options: ConnectMongoOptions): Promise<MongoClient> {
  const { clock, logger, timeLimitMs = 60_000 } = options;
  const deadline = clock.now() + timeLimitMs;
  for (;;) {
    try {
      return await connectOnce(uri, clock);
    } catch (error) {
      const isAway = error instanceof MongoServerSelectionError || error instanceof MongoNetworkError;
      if (!isAway) throw error;
      if (clock.now() >= deadline) throw new Error("The database does not answer", { cause: error });
      logger.warn({ reason: error.message }, "waiting for the database");
      await clock.sleep(pauseMs);
    }
  }
}

// A client whose first connection failed stays unusable: each attempt has one of its own.
async function connectOnce(uri: string, clock: Clock): Promise<MongoClient> {
  const client = new MongoClient(uri, {
    appName: "certificate-registry",
    maxPoolSize: 50,
    serverSelectionTimeoutMS: 5_000,
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
    await requireTransactions(client, clock);
    return client;
  } catch (error) {
    await client.close();
    throw error;
  }
}
