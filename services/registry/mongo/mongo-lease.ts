import { type Lease, leaseTtlMs } from "../outbox/outbox.ts";
import type { Collections } from "./collections.ts";
import { isDuplicateKey } from "./database-error.ts";
import { dateAfter, msBetween } from "./database-time.ts";

/** A lease by the database's clock. */
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
    const hasRunOut = { $lt: [msBetween("$$NOW", "$expiresAt"), 0] };
    const isFree = { $or: [{ $eq: ["$holder", this.#holder] }, hasRunOut] };
    try {
      const lease = await this.#leases.findOneAndUpdate(
        { _id: this.#name },
        [
          {
            $set: {
              holder: { $cond: [isFree, this.#holder, "$holder"] },
              expiresAt: { $cond: [isFree, dateAfter("$$NOW", leaseTtlMs), "$expiresAt"] },
            },
          },
        ],
        { upsert: true, returnDocument: "after" },
      );
      return lease?.holder === this.#holder;
    } catch (error) {
      // Two replicas made the lease at the same time; the other one was first.
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  async release(): Promise<void> {
    await this.#leases.deleteOne({ _id: this.#name, holder: this.#holder });
  }
}
