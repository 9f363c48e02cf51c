import type { ClientSession, Collection } from "mongodb";
import { storeNotFound } from "../values/not-found.ts";
import { addMs, type DatabaseTime, toDate, toMs } from "./database-time.ts";
import type { StoreDocument } from "./documents.ts";

/**
 * Advances a store's clock, a hybrid of logical and physical time: `clock = max(clock + n, now)`. The transaction may
 * assign the last n milliseconds up to the new time. This is the transaction's first statement, so that concurrent
 * transactions of one store conflict here, after one round trip, and commit in the order of their timestamps.
 *
 * @param demand the number of milliseconds and of serial numbers that the transaction reserves
 * @returns the store's document after the update, which has reserved the serial numbers
 * @throws ServiceError `not_found` for an unknown store
 */
export async function advanceClock(
  stores: Collection<StoreDocument>,
  storeId: string,
  demand: { readonly timestamps: number; readonly serials: number },
  databaseTime: DatabaseTime,
  session: ClientSession,
): Promise<StoreDocument> {
  const now = databaseTime();
  const advanced = await stores.findOneAndUpdate(
    { _id: storeId },
    [
      {
        $set: {
          clock: toDate({ $max: [addMs("$clock", demand.timestamps), toMs(now)] }),
          clockReadAt: now,
          lastSerial: { $add: ["$lastSerial", demand.serials] },
        },
      },
    ],
    { session, returnDocument: "after" },
  );
  if (advanced === null) throw storeNotFound();
  return advanced;
}

/** Returns the last n milliseconds up to a clock's time, in increasing order. */
export function timestampsUpTo(clock: Date, count: number): Date[] {
  return Array.from({ length: count }, (_, index) => new Date(clock.getTime() - count + 1 + index));
}
