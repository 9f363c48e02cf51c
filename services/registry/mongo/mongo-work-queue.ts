import type { Clock } from "#shared/time/clock.ts";
import type { WorkQueue } from "../storefront/storefront-storage.ts";
import type { Collections } from "./collections.ts";
import { databaseCall } from "./database-error.ts";
import { operationTimeLimitMs } from "./time-limits.ts";
import { isDuplicateKey } from "./transient-error.ts";

type WorkCollections = Pick<Collections, "storefronts" | "storefrontMessages" | "storefrontOrders">;

const options = { maxTimeMS: operationTimeLimitMs };

/** How long other replicas leave a store's work to a replica that does not renew its lease. */
const leaseMs = 5_000;

/** Makes a store's work due at a time, unless it is due earlier. */
export async function wakeStorefront(
  storefronts: Collections["storefronts"],
  storeId: string,
  at: Date,
): Promise<void> {
  try {
    await storefronts.updateOne({ _id: storeId }, { $min: { dueAt: at } }, { ...options, upsert: true });
  } catch (error) {
    // A concurrent call inserted the document, with about the same due time.
    if (!isDuplicateKey(error)) throw error;
  }
}

/**
 * Implements WorkQueue with MongoDB. A claim removes `dueAt`, so that a message that arrives during the work makes the
 * store due again; if the replica dies, its expired lease does.
 */
export class MongoWorkQueue implements WorkQueue {
  readonly #collections: WorkCollections;
  readonly #holder: string;
  readonly #clock: Clock;

  /** @param holder unique for each running registry */
  constructor(collections: WorkCollections, holder: string, clock: Clock) {
    this.#collections = collections;
    this.#holder = holder;
    this.#clock = clock;
  }

  claim(): Promise<string | undefined> {
    const now = this.#now();
    const isFree = { dueAt: { $lte: now }, worker: { $exists: false } };
    const isAbandoned = { "worker.until": { $lte: now } };
    const since = { $ifNull: ["$dueAt", "$worker.since"] };
    const claimed = [
      { $set: { worker: { holder: this.#holder, since, until: this.#leaseEnd() } } },
      { $unset: "dueAt" },
    ];
    return databaseCall(async () => {
      const byAge = { ...options, sort: { dueAt: 1 }, projection: { _id: 1 } } as const;
      const found = await this.#storefronts.findOneAndUpdate({ $or: [isFree, isAbandoned] }, claimed, byAge);
      return found?._id;
    });
  }

  renew(storeId: string): Promise<boolean> {
    return databaseCall(async () => {
      const renewed = { $set: { "worker.until": this.#leaseEnd() } };
      const { matchedCount } = await this.#storefronts.updateOne(this.#own(storeId), renewed, options);
      return matchedCount === 1;
    });
  }

  release(storeId: string): Promise<void> {
    return databaseCall(async () => {
      const dueAt = await this.#nextDueAt(storeId);
      const due = dueAt === undefined ? {} : { $min: { dueAt } };
      await this.#storefronts.updateOne(this.#own(storeId), { $unset: { worker: 1 }, ...due }, options);
    });
  }

  /** Returns when the oldest work, waiting or in progress, became due; undefined if no store has work. */
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

  #own(storeId: string) {
    return { _id: storeId, "worker.holder": this.#holder };
  }

  #leaseEnd(): Date {
    return new Date(this.#clock.now() + leaseMs);
  }

  #now(): Date {
    return new Date(this.#clock.now());
  }
}
