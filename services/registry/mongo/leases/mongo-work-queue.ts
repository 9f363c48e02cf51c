import { randomUUID } from "node:crypto";
import type { Document, UpdateFilter } from "mongodb";
import type { Clock } from "#shared/time/clock.ts";
import { type WorkClaim, type WorkQueue, workLeaseMs } from "../../storefront/storefront-storage.ts";
import type { Collections } from "../documents/collections.ts";
import type { StorefrontDocument } from "../documents/storefront-documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import { type DatabaseTime, earlier } from "../driver/database-time.ts";
import { operationTimeLimitMs } from "../driver/time-limits.ts";
import { isDuplicateKey } from "../driver/transient-error.ts";
import { dueFilter } from "./due-times.ts";
import { LeaseTimes } from "./lease-times.ts";

type WorkCollections = Pick<Collections, "storefronts" | "storefrontMessages" | "storefrontOrders">;

const options = { maxTimeMS: operationTimeLimitMs };

/** Applies an update to a store's storefront document, and creates the document if it does not exist. */
export async function upsertStorefront(
  storefronts: Collections["storefronts"],
  storeId: string,
  update: UpdateFilter<StorefrontDocument> | Document[],
): Promise<void> {
  const upsert = () => storefronts.updateOne({ _id: storeId }, update, { ...options, upsert: true });
  try {
    await upsert();
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    // A concurrent call has inserted the document, so the second attempt updates it.
    await upsert();
  }
}

/** Makes a store's work due at the given time, unless it is due earlier. */
export function wakeStorefront(storefronts: Collections["storefronts"], storeId: string, at: Date): Promise<void> {
  return upsertStorefront(storefronts, storeId, { $min: { dueAt: at } });
}

/**
 * Implements WorkQueue with MongoDB. A claim removes `dueAt`, so that a message that arrives during the work makes the
 * store due again. If the replica dies, the store can be claimed again once the lease expires.
 */
export class MongoWorkQueue implements WorkQueue {
  readonly #collections: WorkCollections;
  readonly #clock: Clock;
  readonly #lease: LeaseTimes;

  /** @param clock the database's clock, by which work is due; the database itself computes the times of leases */
  constructor(collections: WorkCollections, clock: Clock, databaseTime: DatabaseTime = () => "$$NOW") {
    this.#collections = collections;
    this.#clock = clock;
    this.#lease = new LeaseTimes(workLeaseMs, databaseTime);
  }

  claim(): Promise<WorkClaim | undefined> {
    const token = randomUUID();
    const isFree = dueFilter({ worker: { $exists: false } }, this.#clock);
    const since = earlier("$dueAt", "$worker.since");
    const claimed = [{ $set: { worker: { holder: token, since, until: this.#lease.end() } } }, { $unset: "dueAt" }];
    return databaseCall(async () => {
      const [free, abandoned] = await Promise.all([
        this.#storefronts.findOne(isFree, { ...options, sort: { dueAt: 1 } }),
        this.#abandoned(),
      ]);
      // Abandoned work counts as due since its lease expired, so that a store whose work kills its replica cannot
      // monopolize the replicas.
      const isFreeFirst = waitingSince(free?.dueAt) <= waitingSince(abandoned?.until);
      const ofAbandoned = abandoned && { _id: abandoned.storeId, "worker.until": abandoned.until };
      const take = async (isToBeFree: boolean) => {
        const filter = isToBeFree ? free && isFree : ofAbandoned;
        const how = { ...options, sort: { dueAt: 1 }, projection: { _id: 1 } } as const;
        return filter && (await this.#storefronts.findOneAndUpdate(filter, claimed, how));
      };
      // Another worker may have taken the preferred work in the meantime.
      const found = (await take(isFreeFirst)) ?? (await take(!isFreeFirst));
      return found === null ? undefined : { storeId: found._id, token };
    });
  }

  release(claim: WorkClaim): Promise<void> {
    return databaseCall(async () => {
      const dueAt = await this.#nextDueAt(claim.storeId);
      const due = dueAt === undefined ? {} : { $min: { dueAt } };
      await this.#storefronts.updateOne(claimedBy(claim), { $unset: { worker: 1 }, ...due }, options);
    });
  }

  /**
   * Returns the time at which the oldest work that is due or in progress became due; undefined if no work is due or in
   * progress.
   */
  oldestAt(): Promise<Date | undefined> {
    const now = this.#now();
    return databaseCall(async () => {
      const [waiting, worked] = await Promise.all([
        this.#storefronts.findOne({ dueAt: { $lte: now } }, { ...options, sort: { dueAt: 1 } }),
        this.#storefronts.findOne({ "worker.since": { $lte: now } }, { ...options, sort: { "worker.since": 1 } }),
      ]);
      const times = [waiting?.dueAt, worked?.worker?.since].flatMap((time) => time?.getTime() ?? []);
      return times.length === 0 ? undefined : new Date(Math.min(...times));
    });
  }

  /** Returns the claim that expired first, and shortens claims that a set-back of the clock has made too long. */
  async #abandoned(): Promise<{ readonly storeId: string; readonly until: Date } | null> {
    // There are only as many claims as workers.
    const claims = await this.#storefronts
      .aggregate<{ readonly _id: string; readonly until: Date; readonly leftMs: number }>(
        [
          { $match: { "worker.until": { $gte: new Date(0) } } },
          { $sort: { "worker.until": 1 } },
          { $project: { until: "$worker.until", leftMs: this.#lease.leftMs("$worker.until") } },
        ],
        options,
      )
      .toArray();
    const clamped = [{ $set: { "worker.until": this.#lease.latestEnd() } }];
    for (const { _id, until, leftMs } of claims)
      if (this.#lease.isTooLong(leftMs))
        await this.#storefronts.updateOne({ _id, "worker.until": until }, clamped, options);
    const first = claims[0];
    return first === undefined || first.leftMs > 0 ? null : { storeId: first._id, until: first.until };
  }

  async #nextDueAt(storeId: string): Promise<Date | undefined> {
    const isTouchLeft = {
      _id: storeId,
      $or: [{ touchSince: { $exists: true } }, { touchWaiting: { $exists: true } }],
    };
    if ((await this.#storefronts.findOne(isTouchLeft, options)) !== null) return this.#now();
    const { storefrontMessages, storefrontOrders } = this.#collections;
    const filter = { store: storeId, dueAt: { $gt: new Date(0) } };
    const first = { ...options, sort: { dueAt: 1 }, projection: { dueAt: 1 } } as const;
    const found = [await storefrontMessages.findOne(filter, first), await storefrontOrders.findOne(filter, first)];
    const times = found.flatMap((document) => document?.dueAt?.getTime() ?? []);
    return times.length === 0 ? undefined : new Date(Math.min(...times));
  }

  get #storefronts() {
    return this.#collections.storefronts;
  }

  #now(): Date {
    return new Date(this.#clock.now());
  }
}

function claimedBy({ storeId, token }: WorkClaim) {
  return { _id: storeId, "worker.holder": token };
}

function waitingSince(time: Date | undefined): number {
  return time?.getTime() ?? Number.POSITIVE_INFINITY;
}
