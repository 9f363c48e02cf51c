import type { TestDatabase } from "./test-database.ts";

/** Returns whether all reads of a snapshot session see the same data, which some MongoDB substitutes do not ensure. */
export async function keepsSnapshots({ client, db }: TestDatabase): Promise<boolean> {
  const readConcern = { level: "snapshot" } as const;
  await db.collection("probe").insertOne({});
  return client.withSession({ snapshot: true }, async (session) => {
    await db.collection("probe").findOne({}, { session, readConcern });
    await db.collection("probe").insertOne({});
    return (await db.collection("probe").find({}, { session, readConcern }).toArray()).length === 1;
  });
}
