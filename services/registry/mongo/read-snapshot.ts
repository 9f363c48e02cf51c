import type { ClientSession, MongoClient } from "mongodb";
import type { Clock } from "#shared/time/clock.ts";
import { runTransaction } from "./run-transaction.ts";

/**
 * Runs reads on one snapshot of majority-committed data. The reads run again when the transaction is retried.
 *
 * @param remainingMs returns the remaining time, in milliseconds, or throws; called before each attempt and each commit
 */
export type ReadSnapshot = <T>(read: (session: ClientSession) => Promise<T>, remainingMs?: () => number) => Promise<T>;

/**
 * Creates a reader that wraps reads in a transaction. With read concern `majority` alone, a scan that runs while a
 * transaction commits can return the later of two changes without the earlier one. The transaction is committed,
 * because only the commit guarantees that the data read is majority-committed.
 */
export function snapshotReader(client: MongoClient, clock: Clock): ReadSnapshot {
  return (read, remainingMs) =>
    runTransaction(client, clock, async (session) => ({ commit: true, value: await read(session) }), { remainingMs });
}
