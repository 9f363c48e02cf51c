import type { ClientSession, MongoClient } from "mongodb";
import type { Clock } from "#shared/time/clock.ts";
import { runTransaction } from "./run-transaction.ts";

/** Reads as of one point in time, of what a majority has. */
export type ReadSnapshot = <T>(read: (session: ClientSession) => Promise<T>) => Promise<T>;

/**
 * Reads in a transaction: without one, a read that goes on while a transaction commits may see the later of its changes
 * without the earlier one, and read concern "snapshot" alone is not kept by every server that speaks MongoDB. It is
 * committed, since only the commit makes sure that a majority has what was read.
 */
export function snapshotReader(client: MongoClient, clock: Clock): ReadSnapshot {
  return (read) =>
    runTransaction(client, clock, async (session) => ({ commit: true, value: await read(session) }));
}
