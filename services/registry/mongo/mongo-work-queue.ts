import { randomUUID } from "node:crypto";
import type { Document, UpdateFilter } from "mongodb";
import type { Clock } from "#shared/time/clock.ts";
import { type WorkClaim, type WorkQueue, workLeaseMs } from "../storefront/storefront-storage.ts";
import type { Collections } from "./collections.ts";
import { databaseCall } from "./database-error.ts";
import { earlier } from "./database-time.ts";
import type { StorefrontDocument } from "./storefront-documents.ts";
import { operationTimeLimitMs } from "./time-limits.ts";
import { isDuplicateKey } from "./transient-error.ts";

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

  constructor(collections: WorkCollections, clock: Clock) {
    this.#collections = collections;
    this.#clock = clock;
  }

  claim(): Promise<WorkClaim | undefined> {
    const now = this.#now();
    const token = randomUUID();
    const isFree = { dueAt: { $lte: now }, worker: { $exists: false } };
    const isAbandoned = { "worker.until": { $lte: now } };
    const since = earlier("$dueAt", "$worker.since");
    const claimed = [{ $set: { worker: { holder: token, since, until: this.#leaseEnd() } } }, { $unset: "dueAt" }];
    return databaseCall(async () => {
      const [free, abandoned] = await Promise.all([
        this.#storefronts.findOne(isFree, { ...options, sort: { dueAt: 1 } }),
        this.#storefronts.findOne(isAbandoned, { ...options, sort: { "worker.until": 1 } }),
      ]);
      // Abandoned work counts as due since its lease expired, so that a store whose work kills its replica cannot
      // monopolize the replicas.
      const isFreeFirst = waitingSince(free?.dueAt) <= waitingSince(abandoned?.worker?.until);
      if (free === null && abandoned === null) return undefined;
      const take = (isToBeFree: boolean) =>
        this.#storefronts.findOneAndUpdate(isToBeFree ? isFree : isAbandoned, claimed, {
          ...options,
          sort: isToBeFree ? { dueAt: 1 } : { "worker.until": 1 },
          projection: { _id: 1 },
        });
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

  #leaseEnd(): Date {
    return new Date(this.#clock.now() + workLeaseMs);
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
