import {
  MongoError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
} from "mongodb";
import { ServiceError } from "#shared/errors/service-error.ts";
import { RetryTransaction } from "./retry-transaction.ts";

const duplicateKeyCode = 11_000;
const timeLimitCode = 50;
// The driver does not export the class.
const waitQueueTimeout = "MongoWaitQueueTimeoutError";

const passingLabels = [
  MongoErrorLabel.TransientTransactionError,
  MongoErrorLabel.UnknownTransactionCommitResult,
  MongoErrorLabel.RetryableWriteError,
];

/** Whether a write was refused by a unique index. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === duplicateKeyCode;
}

/** What a failed database call means to the caller: `unavailable` when it may pass; other errors stay as they are. */
export function databaseError(error: unknown): unknown {
  if (!isPassing(error)) return error;
  return new ServiceError("unavailable", "The registry's database is not available. Try again shortly.", {
    cause: error,
  });
}

function isPassing(error: unknown): boolean {
  if (error instanceof RetryTransaction) return true;
  if (error instanceof MongoNetworkError || error instanceof MongoServerSelectionError) return true;
  if (error instanceof Error && error.name === waitQueueTimeout) return true;
  if (error instanceof MongoServerError && error.code === timeLimitCode) return true;
  return error instanceof MongoError && passingLabels.some((label) => error.hasErrorLabel(label));
}
