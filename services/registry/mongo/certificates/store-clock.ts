import type { ClientSession, Collection } from "mongodb";
import { notFound } from "../../values/not-found.ts";
import type { StoreDocument } from "../documents/documents.ts";
import { addMs, type DatabaseTime, toDate, toMs } from "../driver/database-time.ts";

// If a store's clock is ahead of the database's time by more than this, the database's time was set back. The store's
// clock then advances from its own time instead of waiting until the database's time has caught up.
const maxWaitMs = 2_000;

/**
 * Advances a store's clock to the database's time. The transaction may assign the milliseconds between the old and the
 * new time (see {@link roomOf}). This is the transaction's first statement, so that concurrent transactions of one
 * store conflict here, after one round trip, and commit in the order of their timestamps.
 *
 * If the database's time was set back, advances the clock by the number of timestamps that the transaction needs. A
 * clock that is ahead by at most {@link maxWaitMs} does not move: the transaction then may not assign any timestamps
 * and must wait.
 *
 * @param demand how many timestamps the transaction needs, and how many serial numbers it reserves
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
          clock: toDate({
            $cond: [
              { $gt: [toMs("$clock"), addMs(now, maxWaitMs)] },
              addMs("$clock", demand.timestamps),
              { $max: [toMs("$clock"), toMs(now)] },
            ],
          }),
          previousClock: "$clock",
          clockReadAt: now,
          lastSerial: { $add: ["$lastSerial", demand.serials] },
        },
      },
    ],
    { session, returnDocument: "after" },
  );
  if (advanced === null) throw notFound("store");
  return advanced;
}

/** The `updatedAt` values that a transaction may assign after {@link advanceClock}. */
interface ClockRoom {
  /** Number of milliseconds that the transaction may assign; if 0 or less, it must wait for the database's time. */
  readonly timestamps: number;
  /** The clock's time, in milliseconds since 1970, before it was advanced. */
  readonly previousMs: number;
}

/** Returns how many timestamps a transaction may assign, given the document that {@link advanceClock} returned. */
export function roomOf({ clock, previousClock, clockReadAt }: StoreDocument): ClockRoom {
  const nowMs = clockReadAt.getTime();
  // Absent only in tests that replace `advanceClock`; the number of timestamps is then unlimited.
  if (previousClock === undefined) return { timestamps: Number.POSITIVE_INFINITY, previousMs: nowMs };
  const previousMs = previousClock.getTime();
  const advancedMs = clock.getTime() - previousMs;
  return { timestamps: advancedMs > 0 ? advancedMs : nowMs - previousMs, previousMs };
}

/** Returns the last `count` milliseconds up to and including a clock's time, in increasing order. */
export function timestampsUpTo(clock: Date, count: number): Date[] {
  return Array.from({ length: count }, (_, index) => new Date(clock.getTime() - count + 1 + index));
}

/** The timestamps that the changes of a transaction need. */
interface TimestampDemand {
  /** Number of timestamps to wait for while no other transaction advances the store's clock. */
  readonly wanted: number;
  /** Smallest number with which the transaction makes progress. */
  readonly needed: number;
}

/**
 * Determines how long the attempts of one transaction wait for timestamps of a store's clock. Waiting for the
 * timestamps of a whole batch saves transactions, but succeeds only if no other transaction changes the store
 * meanwhile. Once another transaction has advanced the clock during a wait, this one waits only until it can make
 * progress, so that a batch cannot starve behind single changes.
 */
export class ClockWait {
  #previousMs: number | undefined;
  #isOvertaken = false;

  /** @returns milliseconds until the next attempt; 0 if enough timestamps are available */
  next({ timestamps, previousMs }: ClockRoom, { wanted, needed }: TimestampDemand): number {
    if (wanted === 0 || timestamps >= wanted) return 0;
    if (this.#previousMs !== undefined && this.#previousMs !== previousMs) this.#isOvertaken = true;
    this.#previousMs = previousMs;
    return Math.max(0, (this.#isOvertaken ? needed : wanted) - timestamps);
  }
}
