import { MongoClient } from "mongodb";
import { isTracing } from "#shared/trace/spans.ts";
import { operationTimeLimitMs } from "../driver/time-limits.ts";
import { traceCommands } from "../driver/trace-commands.ts";
import { guarantees } from "./connection-string.ts";
import { requireTransactions } from "./require-transactions.ts";

/** Options of {@link connectMongo}. */
export interface ConnectMongoOptions {
  /** Shown in the database server's logs and by `currentOp`. Default `certificate-registry`. */
  readonly appName?: string;
  /** Maximum number of connections to each server, not counting those that monitor it. Default 50. */
  readonly connectionsMax?: number;
  /**
   * Time in milliseconds after which a command without a reply fails and its connection closes. 0 means no limit;
   * writes then also wait for a majority without a time limit. Default 30,000.
   */
  readonly socketTimeoutMs?: number;
}

/**
 * Connects to the database with one connection pool, and checks that the database supports transactions.
 *
 * @param uri a MongoDB connection string that names the database
 * @throws the driver's error when the connection fails, for example because no server responds within 5 s; Error when
 * the database does not support transactions, or the server is a mongos
 */
export async function connectMongo(uri: string, options: ConnectMongoOptions = {}): Promise<MongoClient> {
  const { appName = "certificate-registry", connectionsMax = 50, socketTimeoutMs = 30_000 } = options;
  const client = new MongoClient(uri, {
    appName,
    maxPoolSize: connectionsMax,
    serverSelectionTimeoutMS: 5_000,
    connectTimeoutMS: 5_000,
    socketTimeoutMS: socketTimeoutMs,
    // Calls behind a bulkhead normally find a free connection, or wait for one that is being opened: the driver opens
    // two at a time, which takes long for the first calls of a new replica on a busy machine.
    waitQueueTimeoutMS: operationTimeLimitMs,
    ...guarantees,
    ...(socketTimeoutMs === 0 && { writeConcern: { ...guarantees.writeConcern, wtimeoutMS: 0 } }),
    ignoreUndefined: true,
    monitorCommands: isTracing(),
  });
  if (isTracing()) traceCommands(client);
  try {
    await client.connect();
    await requireTransactions(client);
    return client;
  } catch (error) {
    await client.close();
    throw error;
  }
}
