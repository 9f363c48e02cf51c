import type { MongoClient } from "mongodb";
import { type Collections, collectionsOf } from "./collections.ts";
import { connectMongo } from "./connect-mongo.ts";
import { ensureIndexes } from "./indexes.ts";

/** Connections to the database that only one kind of work uses. */
export interface ConnectionPool {
  readonly client: MongoClient;
  readonly collections: Collections;
}

/**
 * The registry's database. Each kind of work has its own connection pool, so that it never waits for connections that
 * another kind occupies.
 */
export interface Database {
  /** For the certificate list, admissions and look-ups. */
  readonly reads: ConnectionPool;
  /** For changes of certificates and stores. */
  readonly changes: ConnectionPool;
  /** For the outbox relay with its lease, and for claims and outcomes of deliveries. */
  readonly deliveries: ConnectionPool;
  close(): Promise<void>;
}

/** Maximum number of connections of each pool to each server. */
export type PoolSizes = Readonly<Record<"reads" | "changes" | "deliveries", number>>;

/** Connects to the database and creates its missing indexes. @throws Error as {@link connectMongo} does */
export async function openDatabase(uri: string, sizes: PoolSizes): Promise<Database> {
  await using opened = new AsyncDisposableStack();
  const connect = async (pool: keyof PoolSizes): Promise<ConnectionPool> => {
    const appName = `certificate-registry ${pool}`;
    const client = await connectMongo(uri, { appName, connectionsMax: sizes[pool] });
    opened.defer(() => client.close());
    return { client, collections: collectionsOf(client.db()) };
  };
  // Sequential: while the server is unavailable, only one pool tries to connect.
  const reads = await connect("reads");
  await ensureIndexes(reads.collections);
  const changes = await connect("changes");
  const deliveries = await connect("deliveries");
  const clients = opened.move();
  return { reads, changes, deliveries, close: () => clients.disposeAsync() };
}
