import type { ClientSession, Collection, Document, MongoClient } from "mongodb";
import { collectionsOf } from "../collections.ts";
import { isBackedUp } from "./backed-up.ts";
import { type BackupSummary, writeCollection, writeSummary } from "./backup-files.ts";

/**
 * Copies the database to a folder, all collections as of the same point in time. The services keep running. The server
 * must keep snapshots for as long as the copy takes: `minSnapshotHistoryWindowInSeconds`, by default five minutes.
 *
 * @param folder must not contain a backup
 * @throws MongoServerError `SnapshotTooOld` (239) if the copy takes longer
 */
export async function saveBackup(client: MongoClient, folder: string): Promise<BackupSummary> {
  const { localTime } = await client.db().command({ hello: 1 });
  const counts: Record<string, number> = {};
  await client.withSession({ snapshot: true }, async (session) => {
    for (const collection of Object.values(collectionsOf(client.db()))) {
      const { collectionName: name } = collection;
      // Their types do not matter here.
      const any = collection as unknown as Collection<Document>;
      if (isBackedUp(name)) counts[name] = await writeCollection(folder, name, rawDocuments(any, session));
    }
  });
  const summary = { takenAt: (localTime as Date).toISOString(), counts };
  await writeSummary(folder, summary);
  return summary;
}

async function* rawDocuments(collection: Collection<Document>, session: ClientSession): AsyncGenerator<Uint8Array> {
  // With `raw`, the driver returns the bytes of each document.
  // The first read chooses the session's point in time; the client's own read concern would have none.
  const readConcern = { level: "snapshot" } as const;
  const cursor = collection.find({}, { raw: true, session, readConcern, batchSize: 1_000 });
  for await (const document of cursor) yield document as unknown as Uint8Array;
}
