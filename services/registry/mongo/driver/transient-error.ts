import {
  MongoBulkWriteError,
  MongoClientBulkWriteError,
  MongoError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from "mongodb";
import { systemErrorCode } from "#shared/errors/system-error-code.ts";

// https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml

/** Error codes of a server that is not the primary, is shutting down, or cannot reach the primary. */
const electionCodes = {
  HostUnreachable: 6,
  HostNotFound: 7,
  NetworkTimeout: 89,
  ShutdownInProgress: 91,
  NotYetInitialized: 94,
  PrimarySteppedDown: 189,
  SocketException: 9_001,
  NotWritablePrimary: 10_107,
  InterruptedAtShutdown: 11_600,
  InterruptedDueToReplStateChange: 11_602,
  NotPrimaryNoSecondaryOk: 13_435,
  NotPrimaryOrSecondary: 13_436,
} as const;

/**
 * Error codes of a command that the server ended, or whose result it cannot confirm. A new attempt at the operation can
 * succeed.
 */
const interruptionCodes = {
  LockTimeout: 24,
  CursorNotFound: 43,
  MaxTimeMSExpired: 50,
  WriteConcernTimeout: 64,
  WriteConflict: 112,
  ReadConcernMajorityNotAvailableYet: 134,
  CursorKilled: 237,
  IncompleteTransactionHistory: 217,
  SnapshotTooOld: 239,
  SnapshotUnavailable: 246,
  NoSuchTransaction: 251,
  ExceededTimeLimit: 262,
  TransactionExceededLifetimeLimitSeconds: 290,
  Interrupted: 11_601,
} as const;

/** Error codes of a server, or of a proxy in front of it, that refuses a command because of its load. */
const overloadCodes = {
  TemporarilyUnavailable: 365,
  AdmissionQueueOverflow: 433,
  RateLimitExceeded: 449,
  PooledConnectionAcquisitionRejected: 450,
  IngressRequestRateLimitExceeded: 462,
} as const;

/**
 * Error codes of a command in a transaction that another client has ended with its session (`killSessions`), or that
 * has outlived the server's limit. The server adds no label if a command was running at that moment.
 */
const endedSessionCodes: ReadonlySet<unknown> = new Set([
  interruptionCodes.Interrupted,
  interruptionCodes.TransactionExceededLifetimeLimitSeconds,
]);

const duplicateKeyCode = 11_000;
// Unauthorized, and MongoDB Atlas's refusal of an action (AtlasError).
const unauthorizedCodes: readonly unknown[] = [13, 8_000];

const elections: ReadonlySet<unknown> = new Set(Object.values(electionCodes));
const transientCodes: ReadonlySet<unknown> = new Set([
  ...elections,
  ...Object.values(interruptionCodes),
  ...Object.values(overloadCodes),
]);

const transientLabels = [
  MongoErrorLabel.TransientTransactionError,
  MongoErrorLabel.UnknownTransactionCommitResult,
  MongoErrorLabel.RetryableWriteError,
  MongoErrorLabel.RetryableError,
  MongoErrorLabel.SystemOverloadedError,
];

// The driver does not export all of these classes. The errors of a closed pool and a closed server also occur when a
// member leaves the replica set.
const connectionErrors: ReadonlySet<string> = new Set([
  "MongoWaitQueueTimeoutError",
  "MongoPoolClosedError",
  "MongoServerClosedError",
  "MongoTopologyClosedError",
]);

// The driver resolves a `mongodb+srv://` name before it connects, and throws Node's own error when DNS fails.
const recordQueries: readonly unknown[] = ["querySrv", "queryTxt"];
const socketErrorCodes: readonly unknown[] = ["EPIPE", "ECONNRESET"];

/**
 * Returns whether an operation failed for a transient reason, so that a retry can succeed: an election, a timeout, no
 * connection, an overload, a conflict, or a write that a majority has not acknowledged. The operation may have had an
 * effect. Servers do not label all of these errors, and the driver wraps the errors of batches.
 */
export function isTransient(error: unknown): boolean {
  if (isConnectionLoss(error)) return true;
  if (error instanceof Error && "syscall" in error && recordQueries.includes(error.syscall)) return true;
  return withWrapped(error).some(
    (one) =>
      one instanceof MongoServerSelectionError ||
      connectionErrors.has(one.name) ||
      hasWriteConcernError(one) ||
      (one instanceof MongoServerError && transientCodes.has(one.code)) ||
      transientLabels.some((label) => one.hasErrorLabel(label)),
  );
}

/** Returns whether an error means that the connection to the server failed. */
export function isConnectionLoss(error: unknown): boolean {
  // The driver throws Node's own error if it writes to a socket that the server has closed.
  if (socketErrorCodes.includes(systemErrorCode(error))) return true;
  return withWrapped(error).some((one) => one instanceof MongoNetworkError);
}

/**
 * Returns whether an error means that the server was not the primary, was shutting down, or could not reach the
 * primary.
 */
export function isElection(error: unknown): boolean {
  return withWrapped(error).some((one) => one instanceof MongoServerError && elections.has(one.code));
}

/** Returns whether the server failed a command because another client, or the server's limit, ended its transaction. */
export function isEndedSession(error: unknown): boolean {
  return withWrapped(error).some((one) => one instanceof MongoServerError && endedSessionCodes.has(one.code));
}

/** Returns whether the server ended a command because it exceeded its `maxTimeMS`. */
export function isOutOfTime(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === interruptionCodes.MaxTimeMSExpired;
}

/** Returns whether the server dropped the data of a read's snapshot, or had no majority-committed data for it. */
export function isLostSnapshot(error: unknown): boolean {
  const isUnavailable = error instanceof MongoServerError && error.code === interruptionCodes.SnapshotUnavailable;
  return isUnavailable || isSnapshotTooOld(error);
}

/** Returns whether the server no longer has the data of the time at which a command was to read. */
export function isSnapshotTooOld(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === interruptionCodes.SnapshotTooOld;
}

/** Returns whether an error means that the database user lacks a privilege. */
export function isUnauthorized(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && unauthorizedCodes.includes(error.code);
}

/**
 * Returns whether an error means that a write violated a unique index, and that a majority has acknowledged the other
 * writes of its batch: the driver reports a missing acknowledgement together with the violation.
 */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === duplicateKeyCode && !hasWriteConcernError(error);
}

function hasWriteConcernError(error: MongoError): boolean {
  if (error instanceof MongoBulkWriteError) return error.result.getWriteConcernError() !== undefined;
  return error instanceof MongoWriteConcernError;
}

/** Returns a driver error and the driver errors that it wraps; an empty list for any other error. */
function withWrapped(error: unknown): MongoError[] {
  if (!(error instanceof MongoError)) return [];
  if (error instanceof MongoBulkWriteError) return [error, ...withWrapped(error.errorResponse)];
  if (error instanceof MongoClientBulkWriteError) return [error, ...withWrapped(error.cause)];
  return [error];
}
