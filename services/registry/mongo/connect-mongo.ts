import { MongoClient } from "mongodb";
import type { Logger } from "#shared/observe/logger.ts";
import { steadyClock } from "#shared/time/clock.ts";
import { guarantees } from "./connection-string.ts";
import { requireTransactions } from "./require-transactions.ts";
import { isTransient } from "./transient-error.ts";

/** Options of {@link connectMongo}. */
export interface ConnectMongoOptions {
  readonly logger: Logger;
  /** How long to retry while the server does not respond. Default 60,000. */
  readonly timeLimitMs?: number;
  /** Shown in the database server's logs and by `currentOp`. Default `certificate-registry`. */
  readonly appName?: string;
  /** Maximum number of connections to each server, not counting those that monitor it. Default 50. */
  readonly connectionsMax?: number;
  /**
   * Time after which a command without a reply fails and its connection closes. 0: never; writes then also wait for a
   * majority without a time limit. Default 30,000.
   */
  readonly socketTimeoutMs?: number;
}

const pauseMs = 1_000;

/**
 * Connects to the database with one connection pool, retrying while the server is unavailable, and checks that it
 * supports transactions.
 *
 * @param uri a MongoDB connection string that names the database
 * @throws Error, with a one-sentence message, when the server does not answer in time or does not support transactions
 */
export async function connectMongo(uri: string, options: ConnectMongoOptions): Promise<MongoClient> {
  const { logger, timeLimitMs = 60_000 } = options;
  const deadline = steadyClock.now() + timeLimitMs;
  for (;;) {
    try {
      return await connectOnce(uri, options);
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (steadyClock.now() >= deadline) throw new Error("The database does not respond", { cause: error });
      logger.warn({ reason: String(error) }, "waiting for the database");
      await steadyClock.sleep(pauseMs);
    }
  }
}

// A client whose first connection failed cannot be reused: each attempt creates a new one.
async function connectOnce(uri: string, options: ConnectMongoOptions): Promise<MongoClient> {
  const { appName = "certificate-registry", connectionsMax = 50, socketTimeoutMs = 30_000 } = options;
  const client = new MongoClient(uri, {
    appName,
    maxPoolSize: connectionsMax,
    serverSelectionTimeoutMS: 5_000,
    connectTimeoutMS: 5_000,
    socketTimeoutMS: socketTimeoutMs,
    // Calls with a bulkhead in front of the pool need not wait for a connection. Other calls fail soon, so that they do
    // not delay those.
    waitQueueTimeoutMS: 1_000,
    ...guarantees,
    ...(socketTimeoutMs === 0 && { writeConcern: { ...guarantees.writeConcern, wtimeoutMS: 0 } }),
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
