import { setTimeout as delay } from "node:timers/promises";
import type { Collection, MongoClient } from "mongodb";
import { ServiceError } from "#shared/errors/service-error.ts";
import type { MongoLedgerDeps } from "../../../services/registry/mongo/certificates/mongo-ledger.ts";
import type { Collections } from "../../../services/registry/mongo/documents/collections.ts";

type Advance = NonNullable<MongoLedgerDeps["advance"]>;

interface SerialsDocument {
  /** Store id. */
  readonly _id: string;
  /** Last assigned serial number. */
  readonly last: number;
}

const pauseMaxMs = 30;

/**
 * Replaces the store clock with the wall clock, which most systems use: a change takes its time from `new Date()`, and
 * changes in one store conflict only when they touch the same certificate. Two changes can then commit in the reverse
 * order of their times.
 *
 * @param client assigns serial numbers outside of the transaction, as a database sequence does
 */
export function plainClock(client: MongoClient): Advance {
  const serials: Collection<SerialsDocument> = client.db().collection("plain_clock_serials");
  return async (stores, storeId, demand, _databaseTime, session) => {
    const now = new Date();
    const store = await stores.findOne({ _id: storeId }, { session });
    if (store === null) throw new ServiceError("not_found", "The store does not exist.");
    // A replica that is busy, collects garbage or is far from the database commits some time after it has read its
    // clock. The random pause simulates this delay, which rarely occurs on a single idle machine.
    await delay(Math.random() * pauseMaxMs);
    const taken = await serials.findOneAndUpdate(
      { _id: storeId },
      { $inc: { last: demand.serials } },
      { upsert: true, returnDocument: "after" },
    );
    return { ...store, clock: now, clockReadAt: now, lastSerial: taken?.last ?? demand.serials };
  };
}

/** Drops the indexes that enforce unique times within a store, because {@link plainClock} can assign a time twice. */
export async function dropUniqueTimeIndexes(collections: Collections): Promise<void> {
  const { certificates, outbox, history, reports } = collections;
  await certificates.dropIndex("feed");
  await certificates.createIndex({ store: 1, updatedAt: 1 }, { name: "feed_not_unique" });
  await outbox.dropIndex("store_order");
  await history.dropIndex("certificate");
  await reports.dropIndex("store_order");
}
