import { type Lease, leaseTtlMs } from "../outbox/outbox.ts";
import type { Collections } from "./collections.ts";
import { addMs, type DatabaseTime, earlier, toDate, toMs } from "./database-time.ts";
import { operationTimeLimitMs } from "./time-limits.ts";
import { isDuplicateKey } from "./transient-error.ts";

/**
 * Time limit for an attempt to acquire a lease, in milliseconds. After a longer attempt, the holder could not rely on
 * the lease.
 */
export const acquireTimeLimitMs = operationTimeLimitMs;

/** Implements Lease with MongoDB, using the database's clock. */
export class MongoLease implements Lease {
  readonly #leases: Collections["leases"];
  readonly #name: string;
  readonly #holder: string;
  readonly #databaseTime: DatabaseTime;

  constructor(leases: Collections["leases"], name: string, holder: string, databaseTime: DatabaseTime = () => "$$NOW") {
    this.#leases = leases;
    this.#name = name;
    this.#holder = holder;
    this.#databaseTime = databaseTime;
  }

  async acquire(): Promise<boolean> {
    const now = this.#databaseTime();
    // Also true for a new document, whose expiresAt is missing.
    const hasExpired = { $lt: [toMs("$expiresAt"), toMs(now)] };
    const isAvailable = { $or: [{ $eq: ["$holder", this.#holder] }, hasExpired] };
    const expiresAt = toDate(addMs(now, leaseTtlMs));
    // A renewal that began after this operation can finish first, so the stored expiry can exceed `expiresAt` by up to
    // the time limit. An expiry that is even later means that the database's clock was set back; without this limit,
    // the lease would last until the clock has caught up.
    const latestExpiry = toDate(addMs(now, leaseTtlMs + acquireTimeLimitMs));
    try {
      const lease = await this.#leases.findOneAndUpdate(
        { _id: this.#name },
        [
          {
            $set: {
              holder: { $cond: [isAvailable, this.#holder, "$holder"] },
              expiresAt: { $cond: [isAvailable, expiresAt, earlier("$expiresAt", latestExpiry)] },
            },
          },
        ],
        { upsert: true, returnDocument: "after", maxTimeMS: acquireTimeLimitMs },
      );
      return lease?.holder === this.#holder;
    } catch (error) {
      // Another replica inserted the lease at the same time.
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  async release(): Promise<void> {
    await this.#leases.deleteOne({ _id: this.#name, holder: this.#holder });
  }
}
