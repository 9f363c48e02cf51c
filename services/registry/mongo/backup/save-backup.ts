import type { ClientSession, Collection, Document, FindOptions, MongoClient } from "mongodb";
import { systemErrorCode } from "#shared/errors/system-error-code.ts";
import { keepsSnapshots, type PageReads } from "../opening/page-reads.ts";
import { everyCollection, isBackedUp } from "./backed-up.ts";
import { type BackupSummary, createFolder, deleteFiles, writeCollection, writeSummary } from "./backup-files.ts";

/**
 * Copies the collections that backups contain ({@link isBackedUp}) to a folder, all as of the same point in time. The
 * services keep running.
 *
 * @param folder is created; must be empty if it exists
 * @param how `snapshot`: in a snapshot session, which lasts as long as the server keeps snapshots
 *   (`minSnapshotHistoryWindowInSeconds`, by default five minutes). `transaction`: in a transaction, for at most
 *   `transactionLifetimeLimitSeconds`. `auto`: in a transaction unless the server {@link keepsSnapshots}
 * @throws Error if the folder is not empty, or if the server ignores the time of the snapshots that it is to read;
 *   MongoServerError `SnapshotTooOld` (239) or `NoSuchTransaction` (251) if the copy takes too long
 */
export async function saveBackup(client: MongoClient, folder: string, how: PageReads): Promise<BackupSummary> {
  const isKept = how !== "transaction" && (await keepsSnapshots(client));
  if (how === "snapshot" && isKept === false)
    throw new Error(
      "The database server does not keep snapshots outside of transactions, so the backup would mix several times. Use --reads auto.",
    );
  const reads = how === "snapshot" || isKept ? "snapshot" : "transaction";
  await createFolder(folder);
  try {
    const { localTime } = await client.db().command({ hello: 1 });
    const takenAt = (localTime as Date).toISOString();
    const counts = await client.withSession({ snapshot: reads === "snapshot" }, async (session) => {
      if (reads === "snapshot") {
        // The first read sets the session's point in time. With the client's own read concern, it would not.
        return copyAll(client, folder, { session, readConcern: { level: "snapshot" } });
      }
      session.startTransaction({ readConcern: { level: "snapshot" } });
      const copied = await copyAll(client, folder, { session });
      await session.commitTransaction();
      return copied;
    });
    const summary = { takenAt, counts };
    writeSummary(folder, summary);
    return summary;
  } catch (error) {
    // The files of failed backups would fill the volume, but those of a backup that began at the same time are not this
    // one's. An error of this deletion would hide the first one.
    if (systemErrorCode(error) !== "EEXIST") await deleteFiles(folder).catch(() => undefined);
    throw error;
  }
}

/** Returns whether the database contains a store. */
export async function hasStores(client: MongoClient): Promise<boolean> {
  const stores = client.db().collection("stores");
  return (await stores.findOne({}, { projection: { _id: 1 } })) !== null;
}

type ReadOptions = Pick<FindOptions, "readConcern"> & { readonly session: ClientSession };

async function copyAll(client: MongoClient, folder: string, options: ReadOptions): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const collection of everyCollection(client.db())) {
    const { collectionName: name } = collection;
    if (isBackedUp(name)) counts[name] = await writeCollection(folder, name, rawDocuments(collection, options));
  }
  return counts;
}

async function* rawDocuments(collection: Collection<Document>, options: ReadOptions): AsyncGenerator<Uint8Array> {
  // With `raw`, the driver returns the bytes of each document.
  const cursor = collection.find({}, { ...options, raw: true, batchSize: 1_000 });
  for await (const document of cursor) yield document as unknown as Uint8Array;
}
