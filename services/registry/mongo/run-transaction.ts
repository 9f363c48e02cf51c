import { type ClientSession, type MongoClient, MongoError, MongoErrorLabel } from "mongodb";
import type { Clock } from "#shared/time/clock.ts";
import { RetryTransaction } from "./retry-transaction.ts";

/** What a transaction's body tells: commit what was written, or roll it back. */
export interface TransactionResult<T> {
  readonly commit: boolean;
  readonly value: T;
}

const timeLimitMs = 10_000;
const pauseMaxMs = 50;

/**
 * Runs a transaction, again and again while it conflicts with others: short, jittered pauses, ten seconds in all. The
 * driver's own loop waits far too long for conflicts on a store's clock.
 *
 * @throws the last error when the time is up; any error that no repetition mends
 */
export async function runTransaction<T>(
  client: MongoClient,
  clock: Clock,
  body: (session: ClientSession) => Promise<TransactionResult<T>>,
): Promise<T> {
  const deadline = clock.now() + timeLimitMs;
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOnce(client, clock, deadline, body);
    } catch (error) {
      if (!isTransient(error) || clock.now() >= deadline) throw error;
      await clock.sleep(error instanceof RetryTransaction ? error.pauseMs : pauseMs(attempt));
    }
  }
}

async function runOnce<T>(
  client: MongoClient,
  clock: Clock,
  deadline: number,
  body: (session: ClientSession) => Promise<TransactionResult<T>>,
): Promise<T> {
  const session = client.startSession();
  try {
    session.startTransaction({
      readConcern: { level: "snapshot" },
      writeConcern: { w: "majority", journal: true, wtimeoutMS: timeLimitMs },
    });
    const { commit, value } = await body(session);
    if (commit) await commitUntilKnown(session, clock, deadline);
    else await session.abortTransaction();
    return value;
  } finally {
    // Ends, and with it rolls back, a transaction that an error left open.
    await session.endSession();
  }
}

// A commit whose answer was lost may have happened: asking again is the only safe way, running again is not.
async function commitUntilKnown(session: ClientSession, clock: Clock, deadline: number): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await session.commitTransaction();
      return;
    } catch (error) {
      const unknown =
        error instanceof MongoError && error.hasErrorLabel(MongoErrorLabel.UnknownTransactionCommitResult);
      if (!unknown || clock.now() >= deadline) throw error;
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
