import { MongoError, MongoErrorLabel, MongoNetworkError, MongoServerError, MongoServerSelectionError } from "mongodb";
import { ServiceError } from "#shared/errors/service-error.ts";
import { RetryTransaction } from "./run-transaction.ts";

const duplicateKeyCode = 11_000;
const maxTimeExpiredCode = 50;
// The driver does not export this error class.
const waitQueueTimeout = "MongoWaitQueueTimeoutError";

const transientLabels = [
  MongoErrorLabel.TransientTransactionError,
  MongoErrorLabel.UnknownTransactionCommitResult,
  MongoErrorLabel.RetryableWriteError,
];

/** Returns whether a write violated a unique index. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === duplicateKeyCode;
}

/** Runs a database operation. @throws the operation's error, converted by {@link databaseError} */
export async function databaseCall<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw databaseError(error);
  }
}

/** Converts a transient database error to the ServiceError `unavailable`; returns other errors unchanged. */
export function databaseError(error: unknown): unknown {
  if (!isTransient(error)) return error;
  return new ServiceError("unavailable", "The registry's database is unavailable. Try again shortly.", {
    cause: error,
  });
}

function isTransient(error: unknown): boolean {
  if (error instanceof RetryTransaction) return true;
  if (error instanceof MongoNetworkError || error instanceof MongoServerSelectionError) return true;
  if (error instanceof Error && error.name === waitQueueTimeout) return true;
  if (error instanceof MongoServerError && error.code === maxTimeExpiredCode) return true;
  return error instanceof MongoError && transientLabels.some((label) => error.hasErrorLabel(label));
}
