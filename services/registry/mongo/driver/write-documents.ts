import {
  type AnyBulkWriteOperation,
  type ClientInsertOneModel,
  type ClientReplaceOneModel,
  type ClientSession,
  type ClientUpdateManyModel,
  type ClientUpdateOneModel,
  type Document,
  type MongoClient,
  MongoClientBulkWriteError,
  MongoErrorLabel,
  MongoServerError,
} from "mongodb";
import type { ProductDocument } from "../documents/documents.ts";
import { RetryTransaction } from "./run-transaction.ts";

/** Any document that a change can write. */
export interface AnyDocument extends Document {
  readonly _id: string | ProductDocument["_id"];
}

/** The insertion, replacement or update of documents; `namespace` names the database and the collection. */
export type Write =
  | ClientInsertOneModel<AnyDocument>
  | ClientReplaceOneModel<AnyDocument>
  | ClientUpdateOneModel<AnyDocument>
  | ClientUpdateManyModel<AnyDocument>;

/**
 * Writes documents in a transaction, in order within each collection.
 *
 * @throws MongoServerError for the first failed write, like the driver's methods for single documents; RetryTransaction
 * when the server rejects `bulkWrite` as unsupported, after which the writer no longer uses it
 */
export type WriteDocuments = (writes: readonly Write[], session: ClientSession) => Promise<void>;

// Beyond this number of writes, the saved round trips matter little, and separate commands per collection are faster:
// the batches of an import take two thirds of the time, and the driver uses less CPU.
const maxMixedWrites = 24;

const writeConflictCode = 112;
// MongoDB 7.0, and later versions with feature compatibility version 7.0 (which `hello` does not report), reject
// `bulkWrite` with these error codes: CommandNotFound, unknown field, CommandNotSupported.
const unsupportedCodes: readonly unknown[] = [59, 40_415, 115];

/**
 * Creates a writer. It sends a small batch, across collections, in one `bulkWrite` command (MongoDB 8.0), which saves
 * round trips. It sends a large batch, and every batch once a server has rejected `bulkWrite` (MongoDB 7.0), in
 * separate commands per collection.
 *
 * @param inOneCommand whether to try `bulkWrite` at all
 */
export function documentWriter(client: MongoClient, inOneCommand: boolean): WriteDocuments {
  let isSupported = inOneCommand;
  return async (writes, session) => {
    if (!isSupported || writes.length > maxMixedWrites) return writeByCollection(client, writes, session);
    try {
      await client.bulkWrite<Record<string, AnyDocument>>(writes, { session });
    } catch (wrapped) {
      const error = unwrapError(wrapped);
      if (!(error instanceof MongoServerError && unsupportedCodes.includes(error.code))) throw error;
      isSupported = false;
      // The failed command has aborted the transaction.
      throw new RetryTransaction(0);
    }
  };
}

/** Returns the error of the failed command, or the `bulkWrite` error with the code and message of the failed write. */
function unwrapError(error: unknown): unknown {
  if (!(error instanceof MongoClientBulkWriteError)) return error;
  const [failed] = error.writeErrors.values();
  if (failed === undefined) return error.cause ?? error;
  // The server adds no error label to a conflict that it reports for a single write.
  if (failed.code === writeConflictCode) error.addErrorLabel(MongoErrorLabel.TransientTransactionError);
  return Object.assign(error, failed);
}

async function writeByCollection(client: MongoClient, writes: readonly Write[], session: ClientSession): Promise<void> {
  for (const [namespace, group] of Map.groupBy(writes, (write) => write.namespace)) {
    // Neither the database's name nor a collection's contains a dot.
    const [database, name = ""] = namespace.split(".");
    const collection = client.db(database).collection<AnyDocument>(name);
    await collection.bulkWrite(group.map(operationOf), { session });
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
    case "updateMany":
      return { updateMany: write };
  }
}
