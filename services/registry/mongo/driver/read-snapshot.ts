import type { ClientSession, MongoClient } from "mongodb";
import { retryUntil } from "#shared/retry/retry-until.ts";
import { type Clock, steadyClock } from "#shared/time/clock.ts";
import { runTransaction } from "./run-transaction.ts";
import { isConnectionLoss, isElection, isLostSnapshot } from "./transient-error.ts";

/** Driver options that make an operation read from the snapshot. */
export type SnapshotOptions =
  | { readonly session: ClientSession }
  | { readonly readConcern: { readonly level: "snapshot" } };

/**
 * Runs reads on one snapshot of majority-committed data. The reads run again when the snapshot is lost.
 *
 * @param remainingMs returns the remaining time, in milliseconds, or throws if none is left; called before each pause
 * or, for a transaction, before each attempt and each commit
 */
export type ReadSnapshot<Options = SnapshotOptions> = <T>(
  read: (options: Options) => Promise<T>,
  remainingMs?: () => number,
) => Promise<T>;

/**
 * Creates a reader that wraps any number of reads in a transaction. The transaction is committed, because only the
 * commit guarantees that the reads returned majority-committed data.
 */
export function snapshotReader(client: MongoClient): ReadSnapshot<{ readonly session: ClientSession }> {
  return (read, remainingMs) =>
    runTransaction(client, async (session) => ({ commit: true, value: await read({ session }) }), { remainingMs });
}

const attemptsMax = 5;
const pauseMs = 20;

/**
 * Creates a reader for a single read, with read concern `snapshot` outside a transaction, which costs half as much as a
 * transaction. With read concern `majority`, a scan that runs while a transaction commits can return the later of two
 * changes without the earlier one.
 *
 * A read also runs again, once, after a lost connection or an election, as the driver's own retryable reads do; the
 * driver does not retry bare commands.
 */
export function findSnapshotReader(
  clock: Pick<Clock, "sleep"> = steadyClock,
): ReadSnapshot<{ readonly readConcern: { readonly level: "snapshot" } }> {
  return (read, remainingMs = () => Number.POSITIVE_INFINITY) => {
    let mayLoseServer = true;
    const isFinal = (error: unknown) => {
      if (isLostSnapshot(error)) return false;
      const isFirstLoss = mayLoseServer && (isConnectionLoss(error) || isElection(error));
      mayLoseServer = false;
      return !isFirstLoss;
    };
    const pauseOf = (error: unknown, failures: number) =>
      isLostSnapshot(error) ? Math.min(pauseMs * (failures + 1), remainingMs()) : undefined;
    const readOnce = () => read({ readConcern: { level: "snapshot" } });
    return retryUntil(readOnce, { isFinal, attemptsMax, pauseMs: pauseOf, clock });
  };
}
