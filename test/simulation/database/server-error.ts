import type { Doc } from "./bson-value.ts";

/** The names of the error codes that the simulated server returns. */
const codes = {
  BadValue: 2,
  FailedToParse: 9,
  TypeMismatch: 14,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  CursorNotFound: 43,
  MaxTimeMSExpired: 50,
  CommandNotFound: 59,
  IndexOptionsConflict: 85,
  WriteConflict: 112,
  TransactionTooOld: 225,
  InterruptedDueToReplStateChange: 11_602,
  NoSuchTransaction: 251,
  DuplicateKey: 11_000,
  Interrupted: 11_601,
} as const;

/** The name of an error code. */
type ErrorName = keyof typeof codes;

// The labels that MongoDB adds: to errors of transactions, after which the client may run the transaction again, and to
// those of other writes and of commits, which the driver repeats.
const transient: ReadonlySet<ErrorName> = new Set(["WriteConflict", "NoSuchTransaction"]);
const repeatable: ReadonlySet<ErrorName> = new Set(["InterruptedDueToReplStateChange"]);

/** An error that the server returns to the client. */
export class ServerError extends Error {
  readonly errorName: ErrorName;
  readonly code: number;
  readonly details: Doc;

  constructor(errorName: ErrorName, message: string, details: Doc = {}) {
    super(message);
    this.name = "ServerError";
    this.errorName = errorName;
    this.code = codes[errorName];
    this.details = details;
  }

  /**
   * Returns the reply to a command that failed.
   *
   * @param isInTransaction whether the command belongs to a transaction; a commit also counts as one
   * @param isWrite whether the command is a commit, or a write outside of transactions
   */
  reply(isInTransaction: boolean, isWrite: boolean): Doc {
    const labels = [
      ...(isInTransaction && transient.has(this.errorName) ? ["TransientTransactionError"] : []),
      ...(isWrite && repeatable.has(this.errorName) ? ["RetryableWriteError"] : []),
    ];
    return {
      ok: 0,
      errmsg: this.message,
      code: this.code,
      codeName: this.errorName,
      ...this.details,
      ...(labels.length > 0 && { errorLabels: labels }),
    };
  }
}
