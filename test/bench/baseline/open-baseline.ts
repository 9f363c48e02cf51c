import { type ClientSession, MongoClient, type TransactionOptions } from "mongodb";
import { type Collections, collectionsOf } from "../../../services/registry/mongo/documents/collections.ts";

/** The database of the baselines, which use only the driver. */
export interface BaselineDatabase {
  readonly client: MongoClient;
  readonly collections: Collections;
}

const writeConcern = { w: "majority", journal: true, wtimeoutMS: 10_000 } as const;
// Must match services/registry/mongo/driver/run-transaction.ts.
const transactionOptions: TransactionOptions = { readConcern: { level: "snapshot" }, writeConcern };

/** Connects with the registry's read and write concerns. @param workers number of workers, one connection each */
export async function openBaseline(uri: string, workers: number): Promise<BaselineDatabase> {
  const client = new MongoClient(uri, {
    maxPoolSize: workers,
    serverSelectionTimeoutMS: 10_000,
    socketTimeoutMS: 30_000,
    readConcern: { level: "majority" },
    writeConcern,
  });
  await client.connect();
  return { client, collections: collectionsOf(client.db()) };
}

/** Runs one transaction without retries; a conflict is an error. */
export async function runOnce(
  { client }: BaselineDatabase,
  body: (session: ClientSession) => Promise<void>,
): Promise<void> {
  const session = client.startSession();
  try {
    session.startTransaction(transactionOptions);
    await body(session);
    await session.commitTransaction();
  } finally {
    await session.endSession();
  }
}

/** Runs one transaction; the driver retries it after a conflict. */
export async function runWithTransaction(
  { client }: BaselineDatabase,
  body: (session: ClientSession) => Promise<void>,
): Promise<void> {
  const session = client.startSession();
  try {
    await session.withTransaction(() => body(session), transactionOptions);
  } finally {
    await session.endSession();
  }
}
