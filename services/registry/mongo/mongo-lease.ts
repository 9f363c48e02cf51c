import { type Lease, leaseTtlMs } from "../outbox/outbox.ts";
import type { Collections } from "./collections.ts";
import { isDuplicateKey } from "./database-error.ts";
import { addMs, toDate, toMs } from "./database-time.ts";

/** Implements Lease with MongoDB, using the database's clock. */
export class MongoLease implements Lease {
  readonly #leases: Collections["leases"];
  readonly #name: string;
  readonly #holder: string;

  constructor(leases: Collections["leases"], name: string, holder: string) {
    this.#leases = leases;
    this.#name = name;
    this.#holder = holder;
  }

  async acquire(): Promise<boolean> {
    // Also true for a new document, whose expiresAt is missing.
    const hasExpired = { $lt: [toMs("$expiresAt"), toMs("$$NOW")] };
    const isAvailable = { $or: [{ $eq: ["$holder", this.#holder] }, hasExpired] };
    const expiresAt = toDate(addMs("$$NOW", leaseTtlMs));
    try {
      const lease = await this.#leases.findOneAndUpdate(
        { _id: this.#name },
        [
          {
            $set: {
              holder: { $cond: [isAvailable, this.#holder, "$holder"] },
              expiresAt: { $cond: [isAvailable, expiresAt, "$expiresAt"] },
            },
          },
        ],
        { upsert: true, returnDocument: "after" },
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
