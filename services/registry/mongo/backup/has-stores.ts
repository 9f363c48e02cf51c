import type { MongoClient } from "mongodb";

/** Returns whether the database contains a store. */
export async function hasStores(client: MongoClient): Promise<boolean> {
  return (
    (await client
      .db()
      .collection("stores")
      .findOne({}, { projection: { _id: 1 } })) !== null
  );
}
