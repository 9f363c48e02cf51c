import { type ClientSession, type MongoClient, MongoError, MongoErrorLabel } from "mongodb";
import { retryUntil } from "#shared/retry/retry-until.ts";
import { type Clock, steadyClock } from "#shared/time/clock.ts";
import { isConnectionLoss, isElection, isEndedSession, isTransient } from "./transient-error.ts";

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

/** Options of {@link runTransaction}. */
export interface RetryOptions {
  /** Monotonic: a wall clock that is set back would prolong the retries. Default {@link steadyClock}. */
  readonly clock?: Clock;
  /**
   * Time in milliseconds after which the transaction is not retried. Maximum and default: 10,000. Does not limit the
   * retries of a commit with an unknown result.
   */
  readonly timeLimitMs?: number;
  /**
   * Maximum pause between two attempts, in milliseconds. Default: 50; after half a second, a tenth of the time since
   * the first attempt, at most 300. A short maximum is for rare transactions that must win against continuous changes
   * to the same document.
   */
  readonly pauseMaxMs?: number | undefined;
  /** Wraps each pause between two attempts. Default: no wrapper. */
  readonly aroundPause?: (pause: () => Promise<void>) => Promise<void>;
  /**
   * For transactions that only read: returns the caller's remaining time, in milliseconds; called before each attempt
   * and each commit. Default: unlimited.
   *
   * @throws an error that ends the transaction, if no time is left
   */
  readonly remainingMs?: (() => number) | undefined;
  /** Called with the session before each attempt, which waits for the promise. */
  readonly onSession?: ((session: ClientSession) => Promise<void>) | undefined;
}

/** Maximum time for the retries of a transaction, in milliseconds. */
export const timeLimitMaxMs = 10_000;
const usualPauseMaxMs = 50;
// Conflicts that persist come from a lock held for a long time, for example by a killed replica, rather than from other
// changes. After half a second, the maximum pause therefore grows with the time that has passed.
const longPauseMaxMs = 300;
const longPauseShare = 0.1;

/**
 * Runs a transaction and, after an error that is certain to have rolled it back, such as a conflict, retries it with
 * jittered exponential backoff (see {@link RetryOptions.pauseMaxMs}). Retries a commit with an unknown result. Replaces
 * the driver's `withTransaction`, whose backoff starves changes that conflict on a store's clock.
 *
 * @throws the last retryable error once the time limit has passed; any other error immediately
 */
export function runTransaction<T>(
  client: MongoClient,
  body: (session: ClientSession) => Promise<TransactionResult<T>>,
  {
    clock = steadyClock,
    timeLimitMs = timeLimitMaxMs,
    pauseMaxMs,
    aroundPause = (pause) => pause(),
    remainingMs = () => Number.POSITIVE_INFINITY,
    onSession,
  }: RetryOptions = {},
): Promise<T> {
  const startedAt = clock.now();
  const until = startedAt + Math.min(timeLimitMs, timeLimitMaxMs);
  const options = { commitUntil: startedAt + timeLimitMaxMs, remainingMs, onSession };
  return retryUntil(() => runOnce(client, clock, options, body), {
    isFinal: (error) => !isRolledBack(error) || clock.now() >= until,
    pauseMs: (error, failures) =>
      error instanceof RetryTransaction
        ? error.pauseMs
        : pauseMs(failures, pauseMaxMs ?? growingMaxMs(clock.now() - startedAt)),
    clock: { sleep: (durationMs) => aroundPause(() => clock.sleep(durationMs)) },
    beforeRetry: (error) => {
      if (clock.now() >= until) throw error;
    },
  });
}

interface AttemptOptions extends Pick<RetryOptions, "onSession"> {
  /** The latest time to retry a commit with an unknown result. */
  readonly commitUntil: number;
  readonly remainingMs: () => number;
}

async function runOnce<T>(
  client: MongoClient,
  clock: Clock,
  options: AttemptOptions,
  body: (session: ClientSession) => Promise<TransactionResult<T>>,
): Promise<T> {
  const wtimeoutMS = Math.min(options.remainingMs(), timeLimitMaxMs);
  const session = client.startSession();
  try {
    await options.onSession?.(session);
    session.startTransaction({
      readConcern: { level: "snapshot" },
      writeConcern: { w: "majority", journal: true, wtimeoutMS },
    });
    const { commit, value } = await withLabel(body(session));
    if (commit) await commitUntilKnown(session, clock, options);
    else await session.abortTransaction();
    return value;
  } finally {
    // Also rolls back a transaction that an error left open.
    await session.endSession();
  }
}

// Adds the label with which MongoDB marks election errors as transient, for servers that omit it, and the same label to
// the errors of a session that was ended while a command was running, which MongoDB does not label, and to Node's own
// errors of a lost connection, which the driver throws or wraps as they are. The label is correct, because no commit
// has been sent.
async function withLabel<T>(body: Promise<T>): Promise<T> {
  try {
    return await body;
  } catch (error) {
    const isUncommitted = isElection(error) || isEndedSession(error) || isConnectionLoss(error);
    if (!isUncommitted || !(error instanceof Error)) throw error;
    const labelled = error instanceof MongoError ? error : new MongoError("the connection was lost", { cause: error });
    labelled.addErrorLabel(MongoErrorLabel.TransientTransactionError);
    throw labelled;
  }
}

// A commit whose response was lost may have succeeded: retrying the commit is safe, but retrying the transaction is
// not, unless the server reports that it has rolled the transaction back.
function commitUntilKnown(
  session: ClientSession,
  clock: Clock,
  { commitUntil, remainingMs }: AttemptOptions,
): Promise<void> {
  const commit = async () => {
    remainingMs();
    await session.commitTransaction();
  };
  return retryUntil(commit, {
    isFinal: (error) => isRolledBack(error) || !isTransient(error) || clock.now() >= commitUntil,
    pauseMs: (_error, failures) => pauseMs(failures),
    clock,
  });
}

function isRolledBack(error: unknown): boolean {
  if (error instanceof RetryTransaction) return true;
  return error instanceof MongoError && error.hasErrorLabel(MongoErrorLabel.TransientTransactionError);
}

function growingMaxMs(passedMs: number): number {
  return Math.max(usualPauseMaxMs, Math.min(longPauseMaxMs, longPauseShare * passedMs));
}

// From no pause at all, unlike backOffMs, so that transactions that have conflicted do not meet again.
function pauseMs(failures: number, maxMs = usualPauseMaxMs): number {
  return Math.random() * Math.min(maxMs, 2 ** (failures + 1));
}
