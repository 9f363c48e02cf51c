import type { MongoClient } from "mongodb";

/** Returns whether the database contains a store. */
export async function hasStores(client: MongoClient): Promise<boolean> {
  const [store] = await client
    .db()
    .collection("stores")
    .find({}, { projection: { _id: 1 } })
    .limit(1)
    .toArray();
  return store !== undefined;
}
