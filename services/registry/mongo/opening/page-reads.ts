import type { MongoClient } from "mongodb";
import type { Logger } from "#shared/observe/logger.ts";
import { findSnapshotReader, type ReadSnapshot, snapshotReader } from "../driver/read-snapshot.ts";
import { isSnapshotTooOld, isTransient } from "../driver/transient-error.ts";
import { probesName } from "./require-transactions.ts";

/** How a page is read at one point in time. `auto`: by `snapshot` if the server {@link keepsSnapshots}. */
export type PageReads = "auto" | "snapshot" | "transaction";

/**
 * Determines how pages are read, such as those of the list and of new events for triggers. Logs a warning if `auto` has
 * to use transactions.
 *
 * @returns creates the reader of a client that is connected to the same server
 * @throws the driver's transient errors
 */
export async function pageReaders(
  client: MongoClient,
  how: PageReads,
  logger: Logger,
): Promise<(client: MongoClient) => ReadSnapshot> {
  if (how === "snapshot" || (how === "auto" && (await keepsSnapshots(client, logger))))
    return () => findSnapshotReader();
  if (how === "auto")
    logger.warn(
      "the database server does not keep a snapshot outside of transactions, as MongoDB does, so each page is read in a transaction",
    );
  return snapshotReader;
}

/**
 * Returns whether a read outside of transactions sees the server's data at the time of its snapshot. Some substitutes
 * for MongoDB accept the time and ignore it: such a server may also read parts of one page at different times.
 *
 * @returns undefined after an error that leaves the question open, which is logged
 * @throws the driver's transient errors
 */
export async function keepsSnapshots(client: MongoClient, logger?: Pick<Logger, "warn">): Promise<boolean | undefined> {
  const readConcern = { level: "snapshot" } as const;
  const probes = client.db().collection<{ _id: string }>(probesName);
  const [earlier, later] = [crypto.randomUUID(), crypto.randomUUID()];
  try {
    await probes.insertOne({ _id: earlier });
    return await client.withSession({ snapshot: true }, async (session) => {
      // The driver sends the time of the session's first read with the second one.
      await probes.findOne({ _id: earlier }, { session, readConcern });
      await probes.insertOne({ _id: later });
      const seen = await probes.findOne({ _id: later }, { session, readConcern }).catch(refusedAsTooOld);
      return seen === null;
    });
  } catch (error) {
    if (isTransient(error)) throw error;
    logger?.warn({ err: error }, "the database server refused a read at the time of a snapshot");
    return undefined;
  } finally {
    // Only its own: with all, a probe of another replica would find nothing.
    await probes.deleteMany({ _id: { $in: [earlier, later] } }).catch(() => undefined);
  }
}

/** A server that no longer has the data of a time respects the time. */
function refusedAsTooOld(error: unknown): null {
  if (isSnapshotTooOld(error)) return null;
  throw error;
}
