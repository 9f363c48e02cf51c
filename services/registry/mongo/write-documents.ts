import {
  type AnyBulkWriteOperation,
  type ClientInsertOneModel,
  type ClientReplaceOneModel,
  type ClientSession,
  type ClientUpdateOneModel,
  type Collection,
  type Document,
  type MongoClient,
  MongoClientBulkWriteError,
  MongoErrorLabel,
  MongoServerError,
} from "mongodb";
import type { ProductDocument } from "./documents.ts";
import { RetryTransaction } from "./retry-transaction.ts";

/** A document that a change writes. */
export interface AnyDocument extends Document {
  readonly _id: string | ProductDocument["_id"];
}

/** One document's insertion, replacement or update; its namespace names the collection. */
export type Write =
  | ClientInsertOneModel<AnyDocument>
  | ClientReplaceOneModel<AnyDocument>
  | ClientUpdateOneModel<AnyDocument>;

/**
 * Writes in a transaction, in the order given.
 *
 * @throws MongoServerError for the first write that fails, as the driver's calls for single documents throw it;
 *   RetryTransaction when the server does not do it in one command
 */
export type WriteDocuments = (writes: readonly Write[], session: ClientSession) => Promise<void>;

// Beyond this, what one command saves is little beside what the documents themselves cost, and a server may take many of
// one collection better by the command that was made for them (measured: half the time for batches of an import).
const writesInOneCommandMax = 24;

const writeConflictCode = 112;
// Unknown (before 7.0), with fields that are unknown (7.0), or not before the cluster's feature compatibility version is
// 8.0, whatever the server's own version is: that is why the server's hello does not tell.
const refusalCodes: readonly unknown[] = [59, 40_415, 115];

/**
 * Makes the writer. A few documents go in one `bulkWrite` command (MongoDB 8.0), whatever their collections, which saves
 * round trips and much of the driver's work; many, and all after a server refused that command, in one command for each
 * collection.
 *
 * @param inOneCommand false: as if the server had refused it already
 */
export function documentWriter(client: MongoClient, inOneCommand: boolean): WriteDocuments {
  let isRefused = !inOneCommand;
  return async (writes, session) => {
    if (isRefused || writes.length > writesInOneCommandMax) return writeByCollection(client, writes, session);
    try {
      await client.bulkWrite<Record<string, AnyDocument>>(writes, { session });
    } catch (wrapped) {
      const error = unwrapped(wrapped);
      if (!(error instanceof MongoServerError && refusalCodes.includes(error.code))) throw error;
      isRefused = true;
      throw new RetryTransaction(0);
    }
  };
}

/** The driver's error for a `bulkWrite` as those for other commands are: with the code and the labels of what failed. */
function unwrapped(error: unknown): unknown {
  if (!(error instanceof MongoClientBulkWriteError)) return error;
  const [failed] = error.writeErrors.values();
  if (failed === undefined) return error.cause ?? error;
  // MongoDB lets the whole command fail for a conflict, with the label; not every server that speaks MongoDB does.
  if (failed.code === writeConflictCode) error.addErrorLabel(MongoErrorLabel.TransientTransactionError);
  return Object.assign(error, failed);
}

async function writeByCollection(
  client: MongoClient,
  writes: readonly Write[],
  session: ClientSession,
): Promise<void> {
  for (const [namespace, ofOne] of Map.groupBy(writes, (write) => write.namespace)) {
    // Neither a database's name nor one of our collections' has a dot.
    const [database, name = ""] = namespace.split(".");
    const collection = client.db(database).collection<AnyDocument>(name);
    const [first] = ofOne;
    // The driver's way to write many documents costs a program more for one document than those for one.
    if (first !== undefined && ofOne.length === 1) await writeOne(collection, first, session);
    else await collection.bulkWrite(ofOne.map(operationOf), { session });
  }
}

function writeOne(
  collection: Collection<AnyDocument>,
  write: Write,
  session: ClientSession,
): Promise<unknown> {
  switch (write.name) {
    case "insertOne":
      return collection.insertOne(write.document, { session });
    case "replaceOne":
      return collection.replaceOne(write.filter, write.replacement, { session });
    case "updateOne":
      return collection.updateOne(write.filter, write.update, { session });
  }
}

function operationOf(write: Write): AnyBulkWriteOperation<AnyDocument> {
  switch (write.name) {
    case "insertOne":
      return { insertOne: write };
    case "replaceOne":
      return { replaceOne: write };
    case "updateOne":
      return { updateOne: write };
  }
}
