import { type ClientSession, type MongoClient, MongoError, MongoErrorLabel } from "mongodb";
import type { Clock } from "#shared/time/clock.ts";

/** The result of a transaction's body. */
export interface TransactionResult<T> {
  /** Whether to commit the transaction or roll it back. */
  readonly commit: boolean;
  readonly value: T;
}

/** Thrown inside a transaction to roll it back and retry it after a pause. */
export class RetryTransaction extends Error {
  readonly pauseMs: number;

  constructor(pauseMs: number) {
    super("the transaction must be retried");
    this.name = "RetryTransaction";
    this.pauseMs = pauseMs;
  }
}

/** Limits of {@link runTransaction}. */
export interface TransactionLimits {
  /** Time after which the transaction is not retried, in milliseconds. At most, and by default, ten seconds. */
  readonly timeLimitMs?: number | undefined;
  /**
   * For transactions that only read: returns the caller's remaining time, in milliseconds; called before each attempt
   * and each commit. Default: unlimited.
   *
   * @throws an error that ends the transaction, if no time is left
   */
  readonly remainingMs?: (() => number) | undefined;
}

const timeLimitMaxMs = 10_000;
const pauseMaxMs = 50;

/**
 * Runs a transaction and retries it on transient errors with jittered exponential backoff (at most 50 ms).
 * Replaces the driver's `withTransaction`, whose backoff starves changes that conflict on a store's clock.
 *
 * @param clock a monotonic clock: with a wall clock that is set back, the retries would last as long as the jump
 * @param limits `timeLimitMs` does not limit the repetition of a commit with an unknown result
 * @throws the last transient error once `timeLimitMs` has passed; other errors immediately
 */
export async function runTransaction<T>(
  client: MongoClient,
  clock: Clock,
  body: (session: ClientSession) => Promise<TransactionResult<T>>,
  { timeLimitMs = timeLimitMaxMs, remainingMs = () => Number.POSITIVE_INFINITY }: TransactionLimits = {},
): Promise<T> {
  const startedAt = clock.now();
  const retryUntil = startedAt + Math.min(timeLimitMs, timeLimitMaxMs);
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOnce(client, clock, { commitUntil: startedAt + timeLimitMaxMs, remainingMs }, body);
    } catch (error) {
      if (!isTransient(error) || clock.now() >= retryUntil) throw error;
      await clock.sleep(error instanceof RetryTransaction ? error.pauseMs : pauseMs(attempt));
    }
  }
}

interface AttemptLimits {
  /** The latest time to repeat a commit with an unknown result. */
  readonly commitUntil: number;
  readonly remainingMs: () => number;
}

async function runOnce<T>(
  client: MongoClient,
  clock: Clock,
  limits: AttemptLimits,
  body: (session: ClientSession) => Promise<TransactionResult<T>>,
): Promise<T> {
  const wtimeoutMS = Math.min(limits.remainingMs(), timeLimitMaxMs);
  const session = client.startSession();
  try {
    session.startTransaction({
      readConcern: { level: "snapshot" },
      writeConcern: { w: "majority", journal: true, wtimeoutMS },
    });
    const { commit, value } = await body(session);
    if (commit) await commitUntilKnown(session, clock, limits);
    else await session.abortTransaction();
    return value;
  } finally {
    // Also rolls back a transaction that an error left open.
    await session.endSession();
  }
}

// A commit whose response was lost may have succeeded: repeating the commit is safe, repeating the transaction is not.
async function commitUntilKnown(
  session: ClientSession,
  clock: Clock,
  { commitUntil, remainingMs }: AttemptLimits,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    remainingMs();
    try {
      await session.commitTransaction();
      return;
    } catch (error) {
      const isUnknown =
        error instanceof MongoError && error.hasErrorLabel(MongoErrorLabel.UnknownTransactionCommitResult);
      if (!isUnknown || clock.now() >= commitUntil) throw error;
      await clock.sleep(pauseMs(attempt));
    }
  }
}

function isTransient(error: unknown): boolean {
  if (error instanceof RetryTransaction) return true;
  return error instanceof MongoError && error.hasErrorLabel(MongoErrorLabel.TransientTransactionError);
}

function pauseMs(attempt: number): number {
  return Math.random() * Math.min(pauseMaxMs, 2 ** attempt);
}
