import { setTimeout as delay } from "node:timers/promises";
import type { Collection, MongoClient } from "mongodb";
import { ServiceError } from "#shared/errors/service-error.ts";
import type { Collections } from "../../../services/registry/mongo/collections.ts";
import type { MongoLedgerDeps } from "../../../services/registry/mongo/mongo-ledger.ts";

type Advance = NonNullable<MongoLedgerDeps["advance"]>;

/** How many serial numbers of a store are given away. */
interface SerialsDocument {
  /** The store's id. */
  readonly _id: string;
  readonly last: number;
}

const pauseMaxMs = 30;

/**
 * What most systems do in the place of the store's clock: a change carries `new Date()`, and changes of one store conflict
 * only where they touch the same certificate. So two of them can commit in the other order than their times have.
 *
 * @param client for the serial numbers, which are given away beside the transaction, as by a sequence
 */
export function plainClock(client: MongoClient): Advance {
  const serials: Collection<SerialsDocument> = client.db().collection("plain_clock_serials");
  return async (stores, storeId, demand, _databaseTime, session) => {
    const now = new Date();
    const store = await stores.findOne({ _id: storeId }, { session });
    if (store === null) throw new ServiceError("not_found", "There is no such store.");
    // A replica that is busy, collecting garbage or far from the database commits some time after it took its time. On
    // one idle machine that hardly shows, so a short random pause stands for it.
    await delay(Math.random() * pauseMaxMs);
    const taken = await serials.findOneAndUpdate(
      { _id: storeId },
      { $inc: { last: demand.serials } },
      { upsert: true, returnDocument: "after" },
    );
    return { ...store, clock: now, clockReadAt: now, lastSerial: taken?.last ?? demand.serials };
  };
}

/** Removes the rule that no two changes of a store have one time, which a plain clock cannot keep. */
export async function forgetUniqueTimes({
  certificates,
  outbox,
  history,
  reports,
}: Collections): Promise<void> {
  await certificates.dropIndex("feed");
  await certificates.createIndex({ store: 1, updatedAt: 1 }, { name: "feed_not_unique" });
  await outbox.dropIndex("store_order");
  await history.dropIndex("certificate");
  await reports.dropIndex("store_order");
}
