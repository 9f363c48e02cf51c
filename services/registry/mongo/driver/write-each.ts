import type { BulkWriteOptions, Document, FindOptions } from "mongodb";

// Outside of transactions, these functions replace `updateMany` and `deleteMany` where transactions change several
// documents of a collection. The driver does not repeat those after a lost connection; and a stand-in for MongoDB keeps
// other writes off the collection while one of them waits for a document that a transaction has changed: if the
// transaction then changes another document of the collection, both wait forever.

/** A collection as these functions use it. */
export interface Written {
  find(filter: Document, options: FindOptions): { toArray(): Promise<readonly { readonly _id: string }[]> };
  bulkWrite(
    operations: { updateOne: { filter: Document; update: Document } }[] | { deleteOne: { filter: Document } }[],
    options: BulkWriteOptions,
  ): Promise<{ readonly matchedCount: number }>;
}

type Limits = Pick<BulkWriteOptions, "maxTimeMS">;

const pageSize = 1_000;

/**
 * Updates documents in one command, each by a statement of its own.
 *
 * @param ids the `_id` of each document
 * @param filter a further condition that each document must meet
 * @returns the number of documents that met it
 */
export async function updateEach(
  collection: Pick<Written, "bulkWrite">,
  ids: readonly string[],
  filter: Document,
  update: Document,
  limits: Limits,
): Promise<number> {
  if (ids.length === 0) return 0;
  const operations = ids.map((_id) => ({ updateOne: { filter: { _id, ...filter }, update } }));
  return (await collection.bulkWrite(operations, { ...limits, ordered: false })).matchedCount;
}

/** Updates the documents that match now, and still do when they are written. */
export async function updateMatching(
  collection: Written,
  filter: Document,
  update: Document,
  limits: Limits,
): Promise<void> {
  const ids = await idsOf(collection, filter, limits);
  for (let start = 0; start < ids.length; start += pageSize)
    await updateEach(collection, ids.slice(start, start + pageSize), filter, update, limits);
}

/** Deletes the documents that match, a page at a time, until there are none. */
export async function deleteMatching(collection: Written, filter: Document, limits: Limits): Promise<void> {
  for (;;) {
    const ids = await idsOf(collection, filter, { ...limits, limit: pageSize });
    const operations = ids.map((_id) => ({ deleteOne: { filter: { _id } } }));
    if (operations.length > 0) await collection.bulkWrite(operations, { ...limits, ordered: false });
    if (ids.length < pageSize) return;
  }
}

async function idsOf(collection: Written, filter: Document, options: FindOptions): Promise<readonly string[]> {
  const found = await collection.find(filter, { ...options, projection: { _id: 1 } }).toArray();
  return found.map(({ _id }) => _id);
}
