import {
  type AnyBulkWriteOperation,
  type ClientInsertOneModel,
  type ClientReplaceOneModel,
  type ClientSession,
  type ClientUpdateOneModel,
  type Document,
  type MongoClient,
  MongoClientBulkWriteError,
  MongoErrorLabel,
  MongoServerError,
} from "mongodb";
import type { ProductDocument } from "./documents.ts";
import { RetryTransaction } from "./run-transaction.ts";

/** A document that a change writes. */
export interface AnyDocument extends Document {
  readonly _id: string | ProductDocument["_id"];
}

/** The insertion, replacement or update of one document; its namespace names the collection. */
export type Write =
  | ClientInsertOneModel<AnyDocument>
  | ClientReplaceOneModel<AnyDocument>
  | ClientUpdateOneModel<AnyDocument>;

/**
 * Writes documents in a transaction, in order.
 *
 * @throws MongoServerError for the first failed write, like the driver's methods for single documents; RetryTransaction when
 *   the server does not support `bulkWrite`
 */
export type WriteDocuments = (writes: readonly Write[], session: ClientSession) => Promise<void>;

// Beyond this number the saved round trips matter little, and one command per collection is faster: it takes two thirds of the
// time for the batches of an import, and less CPU in the driver.
const maxMixedWrites = 24;

const writeConflictCode = 112;
// The answers of MongoDB 7.0 and of clusters with feature compatibility version 7.0, whose `hello` does not differ:
// CommandNotFound, unknown field, CommandNotSupported.
const unsupportedCodes: readonly unknown[] = [59, 40_415, 115];

/**
 * Creates the writer. It writes a few documents to all collections in one `bulkWrite` command (MongoDB 8.0), which saves round
 * trips. It uses one command per collection for many documents, and for all once a server has refused that (MongoDB 7.0).
 *
 * @param inOneCommand false: one command per collection from the start
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

/** Converts a `bulkWrite` error to one like those of other commands, with the code and labels of the failure. */
function unwrapError(error: unknown): unknown {
  if (!(error instanceof MongoClientBulkWriteError)) return error;
  const [failed] = error.writeErrors.values();
  if (failed === undefined) return error.cause ?? error;
  // A conflict reported for one write carries no label of its own.
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
  }
}
