import { type Lease, leaseTtlMs } from "../../leases/lease.ts";
import type { Collections } from "../documents/collections.ts";
import { type DatabaseTime, earlier } from "../driver/database-time.ts";
import { isDuplicateKey } from "../driver/transient-error.ts";
import { acquireTimeLimitMs, LeaseTimes } from "./lease-times.ts";

/** Implements Lease with a document of the collection `leases`. */
export class MongoLease implements Lease {
  readonly #leases: Collections["leases"];
  readonly #name: string;
  readonly #holder: string;
  readonly #times: LeaseTimes;

  constructor(leases: Collections["leases"], name: string, holder: string, databaseTime: DatabaseTime = () => "$$NOW") {
    this.#leases = leases;
    this.#name = name;
    this.#holder = holder;
    this.#times = new LeaseTimes(leaseTtlMs, databaseTime);
  }

  async acquire(): Promise<boolean> {
    const times = this.#times;
    // Also true for a new document, whose expiresAt is missing: null sorts before numbers.
    const hasExpired = { $lt: [times.leftMs("$expiresAt"), 0] };
    const isAvailable = { $or: [{ $eq: ["$holder", this.#holder] }, hasExpired] };
    const clamped = earlier("$expiresAt", times.latestEnd());
    try {
      const lease = await this.#leases.findOneAndUpdate(
        { _id: this.#name },
        [
          {
            $set: {
              holder: { $cond: [isAvailable, this.#holder, "$holder"] },
              expiresAt: { $cond: [isAvailable, times.end(), clamped] },
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
