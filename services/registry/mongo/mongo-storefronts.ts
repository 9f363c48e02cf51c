import type { Clock } from "#shared/time/clock.ts";
import type { StorefrontRule } from "../storefront/rules.ts";
import type { Storefront, StorefrontProblem, Storefronts, WorkState } from "../storefront/storefront-storage.ts";
import { storeNotFound } from "../values/not-found.ts";
import type { Collections } from "./collections.ts";
import { databaseCall } from "./database-error.ts";
import type { MongoStoreHistory } from "./mongo-store-history.ts";
import { wakeStorefront } from "./mongo-work-queue.ts";
import { platformIdOf } from "./storefront-keys.ts";
import { operationTimeLimitMs } from "./time-limits.ts";

const options = { maxTimeMS: operationTimeLimitMs };
const isWaiting = { dueAt: { $exists: true } };
const hasFailed = { failure: { $exists: true } };

type StorefrontCollections = Pick<Collections, "stores" | "storefronts" | "storefrontMessages" | "storefrontOrders">;

/** Implements Storefronts with MongoDB. */
export class MongoStorefronts implements Storefronts {
  readonly #collections: StorefrontCollections;
  readonly #history: MongoStoreHistory;
  readonly #clock: Clock;

  constructor(collections: StorefrontCollections, history: MongoStoreHistory, clock: Clock) {
    this.#collections = collections;
    this.#history = history;
    this.#clock = clock;
  }

  find(storeId: string): Promise<Storefront> {
    return databaseCall(async () => {
      const found = await this.#collections.storefronts.findOne({ _id: storeId }, options);
      const { rules = [], installedAt, uninstalledAt } = found ?? {};
      return { rules, installedAt, uninstalledAt };
    });
  }

  setRules(storeId: string, rules: readonly StorefrontRule[], actor: string): Promise<void> {
    const details = { names: rules.map(({ name }) => name).join(", ") };
    return this.#history.record(storeId, { action: "storefront_rules.set", actor, details }, async (session) => {
      const store = await this.#collections.stores.findOne({ _id: storeId }, { projection: { _id: 1 }, session });
      if (store === null) throw storeNotFound();
      const set = { $set: { rules: [...rules] } };
      await this.#collections.storefronts.updateOne({ _id: storeId }, set, { upsert: true, session });
      return { hasChanged: true, value: undefined };
    });
  }

  noteInstalled(storeId: string, at: Date): Promise<void> {
    return this.#note(storeId, { installedAt: at });
  }

  noteUninstalled(storeId: string, at: Date): Promise<void> {
    return this.#note(storeId, { uninstalledAt: at });
  }

  async #note(
    storeId: string,
    times: { readonly installedAt: Date } | { readonly uninstalledAt: Date },
  ): Promise<void> {
    const { storefronts } = this.#collections;
    await databaseCall(() => storefronts.updateOne({ _id: storeId }, { $max: times }, { ...options, upsert: true }));
  }

  readWork(storeId: string): Promise<WorkState> {
    const { storefrontMessages: messages, storefrontOrders: orders } = this.#collections;
    const count = async (filter: typeof isWaiting | typeof hasFailed) => {
      const found = await Promise.all([
        messages.countDocuments({ store: storeId, ...filter }, options),
        orders.countDocuments({ store: storeId, ...filter }, options),
      ]);
      return found[0] + found[1];
    };
    const newest = { ...options, sort: { receivedAt: -1 }, projection: { receivedAt: 1 } } as const;
    return databaseCall(async () => ({
      waitingCount: await count(isWaiting),
      failedCount: await count(hasFailed),
      lastMessageAt: (await messages.findOne({ store: storeId }, newest))?.receivedAt,
    }));
  }

  listProblems(storeId: string, countMax: number): Promise<StorefrontProblem[]> {
    const { storefrontMessages, storefrontOrders } = this.#collections;
    return databaseCall(async () => {
      const messages = await storefrontMessages
        .find({ store: storeId, ...hasFailed }, options)
        .sort({ receivedAt: -1 })
        .limit(countMax)
        .toArray();
      const orders = await storefrontOrders
        .find({ store: storeId, $or: [hasFailed, { "notes.0": { $exists: true } }] }, options)
        .sort({ changedAt: -1 })
        .limit(countMax)
        .toArray();
      const problems = [
        ...messages.map(({ _id, topic, receivedAt, failure = "" }) => ({
          ...{ id: platformIdOf(_id), topic, orderName: "", at: receivedAt, problems: [failure], hasFailed: true },
        })),
        ...orders.map(({ _id, name, changedAt, failure, notes }) => ({
          ...{ id: platformIdOf(_id), topic: "", orderName: name, at: changedAt, hasFailed: failure !== undefined },
          problems: [...(failure === undefined ? [] : [failure]), ...notes],
        })),
      ];
      return problems.slice(0, countMax);
    });
  }

  retryFailed(storeId: string): Promise<number> {
    const { storefronts, storefrontMessages, storefrontOrders } = this.#collections;
    const now = new Date(this.#clock.now());
    const again = { $set: { dueAt: now, attempts: 0 }, $unset: { failure: 1 as const } };
    return databaseCall(async () => {
      // A message that could not be translated stays failed, because a retry cannot translate it.
      const readable = { store: storeId, ...hasFailed, kind: { $ne: "unreadable" } } as const;
      const messages = await storefrontMessages.updateMany(readable, again);
      const orders = await storefrontOrders.updateMany({ store: storeId, ...hasFailed }, again);
      await wakeStorefront(storefronts, storeId, now);
      return messages.matchedCount + orders.matchedCount;
    });
  }
}
