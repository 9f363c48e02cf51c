import { randomBytes } from "node:crypto";
import { type Db, type Document, MongoClient } from "mongodb";
import { inject } from "vitest";
import { atEnd } from "#shared/lifecycle/at-end-fixture.ts";
import { withDatabase } from "../../deploy/local/servers/with-database.ts";
import { type Collections, collectionsOf } from "../../services/registry/mongo/documents/collections.ts";
import { eventually } from "./eventually.ts";

/** A database for one test or test file, by default on the test run's database server. */
export interface TestDatabase {
  /** Connection string that names the database. */
  readonly uri: string;
  readonly client: MongoClient;
  readonly db: Db;
  readonly collections: Collections;
  /** Returns the current time of the database server. */
  now(): Promise<Date>;
  /** Returns all documents by collection name, except the heartbeats of registries and when API keys were last used. */
  contents(): Promise<Record<string, Document[]>>;
  /** Drops the database, unless the run's server is thrown away with it, and closes the client. */
  close(): Promise<void>;
}

/** Opens a new, empty database. @param onEnd registers the function that closes it. Default: {@link atEnd} */
export async function openTestDatabase(
  onEnd: (close: () => Promise<void>) => void = atEnd,
  serverUrl?: string,
): Promise<TestDatabase> {
  const database = await createTestDatabase(serverUrl);
  onEnd(database.close);
  return database;
}

/** Opens a new, empty database, which the caller closes. */
export async function createTestDatabase(serverUrl?: string): Promise<TestDatabase> {
  const isKept = serverUrl === undefined && inject("keepsTestDatabases");
  const uri = withDatabase(serverUrl ?? inject("databaseServerUrl"), `test_${randomBytes(8).toString("hex")}`);
  // Not longer: the last worker of a run closes its database when the server may have ended already.
  const serverSelectionTimeoutMS = 10_000;
  const concerns = { readConcern: { level: "majority" }, writeConcern: { w: "majority", journal: true } } as const;
  const client = await eventually(() => MongoClient.connect(uri, { ...concerns, serverSelectionTimeoutMS }));
  const db = client.db();
  return {
    uri,
    client,
    db,
    collections: collectionsOf(db),
    now: async () => (await db.command({ hello: 1 })).localTime,
    contents: () => readContents(db),
    close: async () => {
      if (!isKept) await db.dropDatabase();
      await client.close();
    },
  };
}

// Registries write these in the background, heartbeats continuously and uses of API keys once a minute, regardless of
// what a test does.
const heartbeats = "replicas";
const withoutUses = { projection: { "keys.lastUsedAt": 0 } } as const;

async function readContents(db: Db): Promise<Record<string, Document[]>> {
  const contents: Record<string, Document[]> = {};
  const collections = (await db.collections()).filter(({ collectionName }) => collectionName !== heartbeats);
  for (const collection of collections.sort((a, b) => a.collectionName.localeCompare(b.collectionName)))
    contents[collection.collectionName] = await collection.find({}, withoutUses).sort({ _id: 1 }).toArray();
  return contents;
}
