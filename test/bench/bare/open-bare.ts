import { type ClientSession, MongoClient, type TransactionOptions } from "mongodb";
import { type Collections, collectionsOf } from "../../../services/registry/mongo/collections.ts";

/** A database as a program with nothing but the driver sees it. */
export interface BareDatabase {
  readonly client: MongoClient;
  readonly collections: Collections;
}

const writeConcern = { w: "majority", journal: true, wtimeoutMS: 10_000 } as const;
// Those of the registry's own (services/registry/mongo/run-transaction.ts).
const transactionOptions: TransactionOptions = { readConcern: { level: "snapshot" }, writeConcern };

/** Connects with the driver's defaults, but as durable as the registry's writes. @param workers that work side by side */
export async function openBare(uri: string, workers: number): Promise<BareDatabase> {
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

/** One transaction as a plain loop runs it: a conflict is an error. */
export async function runPlain(
  { client }: BareDatabase,
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

/** One transaction as the driver itself repeats it after a conflict. */
export async function runWithTransaction(
  { client }: BareDatabase,
  body: (session: ClientSession) => Promise<void>,
): Promise<void> {
  const session = client.startSession();
  try {
    await session.withTransaction(() => body(session), transactionOptions);
  } finally {
    await session.endSession();
  }
}
