import type { ClientSession, Collection } from "mongodb";
import { ServiceError } from "#shared/errors/service-error.ts";
import { type DatabaseTime, dateAfter, msBetween } from "./database-time.ts";
import type { StoreDocument } from "./documents.ts";

/** What one transaction takes from its store's clock. */
export interface ClockDemand {
  /** How many distinct milliseconds. */
  readonly timestamps: number;
  /** How many serial numbers. */
  readonly serials: number;
}

/**
 * Advances a store's clock: `clock = max(clock + n, now)`, and the last n milliseconds up to it belong to the
 * transaction. It is the transaction's first statement: whoever comes second conflicts here, after one round trip, so
 * that changes of one store commit in the order of their times.
 *
 * @returns the store's document afterwards, with the serial numbers taken already
 * @throws ServiceError `not_found` for an unknown store
 */
export async function advanceClock(
  stores: Collection<StoreDocument>,
  storeId: string,
  demand: ClockDemand,
  databaseTime: DatabaseTime,
  session: ClientSession,
): Promise<StoreDocument> {
  const now = databaseTime();
  // The maximum of both, by numbers: not every server that speaks MongoDB compares `$$NOW` with a date that it computed.
  const isAhead = { $gt: [msBetween(now, "$clock"), -demand.timestamps] };
  const advanced = await stores.findOneAndUpdate(
    { _id: storeId },
    [
      {
        $set: {
          clock: { $cond: [isAhead, dateAfter("$clock", demand.timestamps), now] },
          clockReadAt: now,
          lastSerial: { $add: ["$lastSerial", demand.serials] },
        },
      },
    ],
    { session, returnDocument: "after" },
  );
  if (advanced === null) throw new ServiceError("not_found", "There is no such store.");
  return advanced;
}

/** The last n milliseconds up to a clock's time, increasing. */
export function timestampsUpTo(clock: Date, count: number): Date[] {
  return Array.from({ length: count }, (_, index) => new Date(clock.getTime() - count + 1 + index));
}
