import { BSON, type Collection, type Document, type MongoClient } from "mongodb";
import { everyCollection, isBackedUp } from "./backed-up.ts";
import { type BackupSummary, damaged, readCollection, readSummary } from "./backup-files.ts";

// Documents are of up to a megabyte.
const batchBytes = 4 * 1_048_576;

/**
 * Copies a backup into an empty database. Then call {@link finishRestore}, before a registry starts. A copy that was
 * interrupted leaves a database that is not empty: drop it, and start again.
 *
 * @throws Error if the folder contains no complete backup, the backup has a collection that this version does not know,
 * the database is not empty, or a file is damaged or does not contain as many documents as the backup's summary states
 */
export async function restoreBackup(client: MongoClient, folder: string): Promise<BackupSummary> {
  const summary = await readSummary(folder);
  const collections = everyCollection(client.db());
  const unknown = Object.keys(summary.counts).find((name) =>
    collections.every(({ collectionName }) => collectionName !== name),
  );
  if (unknown !== undefined)
    throw new Error(
      `The backup contains ${unknown}, which this version does not know and would leave out. ` +
        "Restore it with the version that saved it, or a later one.",
    );
  for (const collection of collections)
    if ((await collection.findOne({}, { projection: { _id: 1 } })) !== null)
      throw new Error(
        `The database is not empty: ${collection.collectionName} has documents. Drop the database first.`,
      );
  for (const collection of collections) {
    const { collectionName: name } = collection;
    if (!isBackedUp(name)) continue;
    // A backup of an earlier version lacks the collections that later versions have added.
    const expected = summary.counts[name];
    const count = expected === undefined ? 0 : await insertAll(collection, readCollection(folder, name));
    if (count !== (expected ?? 0)) throw damaged(`The backup of ${name} has ${count} documents instead of ${expected}`);
  }
  return summary;
}

async function insertAll(collection: Collection<Document>, documents: AsyncIterable<Buffer>): Promise<number> {
  let count = 0;
  let batch: Document[] = [];
  let size = 0;
  const insert = async () => {
    if (batch.length > 0) await collection.insertMany(batch, { ordered: false });
    count += batch.length;
    batch = [];
    size = 0;
  };
  for await (const bytes of documents) {
    batch.push(documentOf(bytes, collection.collectionName));
    size += bytes.length;
    if (size >= batchBytes) await insert();
  }
  await insert();
  return count;
}

function documentOf(bytes: Buffer, name: string): Document {
  try {
    // Keeps the BSON types, such as 32-bit integers.
    return BSON.deserialize(bytes, { promoteValues: false, promoteBuffers: false });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw damaged(`The backup of ${name} is damaged (${reason})`, { cause });
  }
}
