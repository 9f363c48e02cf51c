import type { MongoClient } from "mongodb";
import { type Collections, collectionsOf } from "./collections.ts";
import { type ConnectMongoOptions, connectMongo } from "./connect-mongo.ts";
import { ensureIndexes } from "./indexes.ts";

/** The registry's database. */
export interface Database {
  readonly client: MongoClient;
  readonly collections: Collections;
}

/** Connects to the database and creates its missing indexes. @throws Error as {@link connectMongo} does */
export async function openDatabase(uri: string, options: ConnectMongoOptions): Promise<Database> {
  const client = await connectMongo(uri, options);
  const collections = collectionsOf(client.db());
  await ensureIndexes(collections);
  return { client, collections };
}
