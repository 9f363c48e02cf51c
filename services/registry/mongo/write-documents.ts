import type { ClientSession, Collection, OptionalUnlessRequiredId } from "mongodb";

// The driver's ways to write many documents cost a program more for one document than those for one; most changes write
// one of each kind. What the server gets is the same.

/** Inserts documents in a transaction; none cost nothing. @throws MongoServerError or MongoBulkWriteError */
export async function insertDocuments<Document extends { readonly _id: string }>(
  collection: Collection<Document>,
  documents: readonly OptionalUnlessRequiredId<Document>[],
  session: ClientSession,
): Promise<void> {
  const [first] = documents;
  if (first === undefined) return;
  if (documents.length === 1) await collection.insertOne(first, { session });
  else await collection.insertMany([...documents], { session });
}
