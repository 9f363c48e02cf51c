import type { Clock } from "#shared/time/clock.ts";
import type { LeasedQueue, WorkClaim } from "../../leases/leased-queue.ts";
import { workLeaseMs } from "../../storefront/storefront-storage.ts";
import type { StoreClaim } from "../../storefront/storefront-worker.ts";
import type { Collections } from "../documents/collections.ts";
import type { StorefrontDocument } from "../documents/storefront-documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import { type DatabaseTime, earlier } from "../driver/database-time.ts";
import { limited } from "../driver/time-limits.ts";
import { isTouchLeft } from "../due-work/due-orders.ts";
import { dueFilter } from "../due-work/due-times.ts";
import { isLeased, MongoLeases } from "../leases/mongo-leases.ts";

type WorkCollections = Pick<Collections, "storefronts" | "storefrontMessages" | "storefrontOrders">;

/**
 * The stores with work. A message that arrives during the work makes its store due again, so that completing the work
 * does not hide the message.
 */
export class MongoWorkQueue implements Pick<LeasedQueue<StoreClaim>, "claim" | "renew" | "complete"> {
  readonly #collections: WorkCollections;
  readonly #clock: Clock;
  readonly #leases: MongoLeases<StorefrontDocument>;

  /** @param clock the database's clock, by which work is due; the database itself computes the times of leases */
  constructor(collections: WorkCollections, clock: Clock, databaseTime?: DatabaseTime) {
    this.#collections = collections;
    this.#clock = clock;
    this.#leases = new MongoLeases(collections.storefronts, workLeaseMs, databaseTime);
  }

  async claim(): Promise<StoreClaim | undefined> {
    const due = dueFilter({}, this.#clock);
    // One read by indexes, in nearly all cases of an idle registry.
    const first = { ...limited, projection: { _id: 1 } } as const;
    const filter = { $or: [...due.$or, this.#leases.isTooLong(this.#clock.now())] };
    const found = await databaseCall(() => this.#collections.storefronts.findOne(filter, first));
    return found === null ? undefined : this.#leases.claim(due);
  }

  renew(claim: WorkClaim): Promise<boolean> {
    return this.#leases.renew(claim);
  }

  /** Ends the claim. The store can be claimed again as soon as any of its remaining work is due. */
  complete(claim: WorkClaim): Promise<boolean> {
    return databaseCall(async () => {
      const next = await this.#nextDueAt(claim.id);
      const woken = next === undefined ? "$dueAt" : earlier("$dueAt", next);
      return this.#leases.end(claim, { dueAt: { $cond: [this.#leases.mayBeWoken(), woken, next ?? "$$REMOVE"] } });
    });
  }

  /**
   * Returns the time at which the oldest work that is due or in progress became due; undefined if no work is due or in
   * progress.
   */
  oldestAt(): Promise<Date | undefined> {
    const { storefronts } = this.#collections;
    return databaseCall(async () => {
      const [waiting, leased] = await Promise.all([
        storefronts.findOne({ dueAt: { $lte: this.#now() } }, { ...limited, sort: { dueAt: 1 } }),
        storefronts.find(isLeased, limited).toArray(),
      ]);
      return earliest([waiting?.dueAt?.getTime(), ...leased.map(({ lease }) => lease?.since)]);
    });
  }

  async #nextDueAt(storeId: string): Promise<Date | undefined> {
    const { storefronts, storefrontMessages, storefrontOrders } = this.#collections;
    const found = await storefronts.findOne({ _id: storeId }, limited);
    if (found !== null && isTouchLeft(found)) return this.#now();
    const filter = { store: storeId, dueAt: { $gt: new Date(0) } };
    const first = { ...limited, sort: { dueAt: 1 }, projection: { dueAt: 1 } } as const;
    const work = [await storefrontMessages.findOne(filter, first), await storefrontOrders.findOne(filter, first)];
    return earliest(work.map((document) => document?.dueAt?.getTime()));
  }

  #now(): Date {
    return new Date(this.#clock.now());
  }
}

function earliest(times: readonly (number | null | undefined)[]): Date | undefined {
  const known = times.flatMap((time) => time ?? []);
  return known.length === 0 ? undefined : new Date(Math.min(...known));
}
