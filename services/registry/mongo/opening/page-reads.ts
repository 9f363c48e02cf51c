import type { MongoClient } from "mongodb";
import type { Logger } from "#shared/observe/logger.ts";
import { steadyClock } from "#shared/time/clock.ts";
import { findSnapshotReader, type ReadSnapshot, snapshotReader } from "../driver/read-snapshot.ts";
import { isTransient } from "../driver/transient-error.ts";
import { probesName } from "./require-transactions.ts";

/** How a page of the list is read at one point in time. `auto`: by `snapshot` if the server {@link keepsSnapshots}. */
export type PageReads = "auto" | "snapshot" | "transaction";

/**
 * Returns the reader of the list's pages. Logs a warning if `auto` has to use transactions.
 *
 * @throws the driver's transient errors
 */
export async function pageReader(client: MongoClient, how: PageReads, logger: Logger): Promise<ReadSnapshot> {
  if (how === "snapshot" || (how === "auto" && (await keepsSnapshots(client)))) return findSnapshotReader(steadyClock);
  if (how === "auto")
    logger.warn(
      "the database server does not keep a snapshot outside of transactions, as MongoDB does, so each page of the list is read in a transaction",
    );
  return snapshotReader(client, steadyClock);
}

/**
 * Returns whether a read outside of transactions sees the server's data at the time of its snapshot. Some substitutes
 * for MongoDB accept the time and ignore it: such a server may also read parts of one page at different times.
 *
 * @throws the driver's transient errors
 */
export async function keepsSnapshots(client: MongoClient): Promise<boolean> {
  const readConcern = { level: "snapshot" } as const;
  const probes = client.db().collection<{ _id: string }>(probesName);
  const [earlier, later] = [{ _id: crypto.randomUUID() }, { _id: crypto.randomUUID() }];
  try {
    await probes.insertOne({ ...earlier });
    return await client.withSession({ snapshot: true }, async (session) => {
      // The driver sends the time of the session's first read with the second one.
      await probes.findOne(earlier, { session, readConcern });
      await probes.insertOne({ ...later });
      return (await probes.findOne(later, { session, readConcern })) === null;
    });
  } catch (error) {
    if (isTransient(error)) throw error;
    return false;
  } finally {
    for (const probe of [earlier, later]) await probes.deleteOne(probe);
  }
}
