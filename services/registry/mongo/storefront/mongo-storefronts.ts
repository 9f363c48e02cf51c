import type { Filter } from "mongodb";
import type { Clock } from "#shared/time/clock.ts";
import type { StorefrontRule } from "../../storefront/rules.ts";
import { rulesChanged } from "../../storefront/set-rules.ts";
import type {
  ProblemPage,
  RulesChange,
  Storefront,
  Storefronts,
  WorkState,
} from "../../storefront/storefront-storage.ts";
import { workCountMax } from "../../storefront/storefront-storage.ts";
import { notFound } from "../../values/not-found.ts";
import { permittedTime } from "../../values/platform-lead.ts";
import type { Collections } from "../documents/collections.ts";
import { keysOf } from "../documents/compound-key.ts";
import type { StorefrontOrderDocument, TouchPass } from "../documents/storefront-documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import { limited } from "../driver/time-limits.ts";
import {
  dueUpdate,
  isTouchLeft,
  retryUpdate,
  touchSinceUpdate,
  upsertStorefront,
  wakeUpdate,
} from "../due-work/due-orders.ts";
import type { MongoStoreHistory } from "../stores/mongo-store-history.ts";
import { type AccessCollections, revokeAccess } from "./revoke-access.ts";
import { hasFailed, readProblems } from "./storefront-problems.ts";

const counted = { ...limited, limit: workCountMax };
// A transaction must not change more documents than a moment allows.
const retriedAtOnce = 100;
const retriesMax = workCountMax / retriedAtOnce;
// Orders that a pass does not concern can be many: a search for the next ones that it does could exceed the time limit.
const scannedMax = 2_000;
const isWaiting = { dueAt: { $exists: true } };

type StorefrontCollections = AccessCollections &
  Pick<Collections, "stores" | "storefronts" | "storefrontMessages" | "storefrontOrders">;

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
      const { stores, storefronts } = this.#collections;
      const [store, found] = await Promise.all([
        stores.findOne({ _id: storeId }, { ...limited, projection: { erasures: 1 } }),
        storefronts.findOne({ _id: storeId }, limited),
      ]);
      const erasures = store?.erasures ?? 0;
      const { rules = [], rulesVersion = 0, installedAt, uninstalledAt } = found ?? {};
      const hasTouchLeft = found !== null && isTouchLeft(found);
      return { rules, rulesVersion, erasures, installedAt, uninstalledAt, hasTouchLeft };
    });
  }

  setRules(
    storeId: string,
    rules: readonly StorefrontRule[],
    { expectedVersion, actor, touchSince }: RulesChange,
  ): Promise<number> {
    const { stores, storefronts } = this.#collections;
    const details = { names: rules.map(({ name }) => name).join(", ") };
    return this.#history.record(storeId, { action: "storefront_rules.set", actor, details }, async (session) => {
      const store = await stores.findOne({ _id: storeId }, { projection: { _id: 1 }, session });
      if (store === null) throw notFound("store");
      const found = await storefronts.findOne({ _id: storeId }, { projection: { rulesVersion: 1 }, session });
      if ((found?.rulesVersion ?? 0) !== expectedVersion) throw rulesChanged();
      const rulesVersion = expectedVersion + 1;
      const touch = touchSince && touchSinceUpdate(touchSince, new Date(this.#clock.now()));
      const update = { $set: { rules, rulesVersion }, ...touch };
      await storefronts.updateOne({ _id: storeId }, update, { upsert: true, session });
      return { hasChanged: true, value: rulesVersion };
    });
  }

  async touchOrders(storeId: string, countMax: number): Promise<void> {
    const { storefronts, storefrontOrders } = this.#collections;
    const pass = await databaseCall(() => this.#touchPass(storeId));
    if (pass === undefined) return;
    const { number, since, waitsFor, after } = pass;
    const isWaitingFor = { unmatchedProducts: { $in: [...waitsFor] } };
    const isConcerned = since === undefined ? isWaitingFor : { $or: [isWaitingFor, { orderedAt: { $gte: since } }] };
    const isLeft = { $and: [keysOf(storeId), { _id: { $gt: after } }] };
    const find = (filter: Filter<StorefrontOrderDocument>, skip: number, limit: number) =>
      storefrontOrders
        .find(filter, { ...limited, projection: { _id: 1 }, hint: "_id_" })
        .sort({ _id: 1 })
        .skip(skip)
        .limit(limit)
        .map(({ _id }) => _id)
        .toArray();
    const { ids, last } = await databaseCall(async () => {
      const [end] = await find(isLeft, scannedMax - 1, 1);
      const isInRange = end === undefined ? {} : { _id: { $lte: end } };
      const found = await find({ $and: [isLeft, isInRange, isConcerned] }, 0, countMax);
      return { ids: found, last: found.length < countMax ? end : found.at(-1) };
    });
    const step = last === undefined ? { $unset: { touching: 1 as const } } : { $set: { "touching.after": last } };
    // One transaction, so that no worker makes the same orders due once more, however long it was frozen.
    await this.#history.transact(async (session) => {
      const isHere = { _id: storeId, "touching.number": number, "touching.after": after };
      const isNext = (await storefronts.updateOne(isHere, step, { session })).matchedCount === 1;
      const now = new Date(this.#clock.now());
      if (isNext) await storefrontOrders.updateMany({ _id: { $in: ids } }, dueUpdate(now), { session });
      return { commit: isNext, value: undefined };
    });
  }

  /** Returns the store's pass, and begins one if changes need it. */
  async #touchPass(storeId: string): Promise<TouchPass | undefined> {
    const { storefronts } = this.#collections;
    const found = await storefronts.findOne({ _id: storeId }, limited);
    if (found === null || found.touching !== undefined || !isTouchLeft(found)) return found?.touching;
    const touches = { $add: [{ $ifNull: ["$touches", 0] }, 1] };
    const waitsFor = { $ifNull: ["$touchWaiting", []] };
    const touching = { number: touches, since: "$touchSince", waitsFor, after: "" };
    const begin = [{ $set: { touches, touching } }, { $unset: ["touchSince", "touchWaiting"] }];
    const isIdle = { _id: storeId, touching: { $exists: false } };
    const how = { ...limited, returnDocument: "after" } as const;
    return (await storefronts.findOneAndUpdate(isIdle, begin, how))?.touching;
  }

  noteInstalled(storeId: string, at: Date): Promise<void> {
    const installedAt = permittedTime(at, this.#clock.now());
    return databaseCall(() => upsertStorefront(this.#collections.storefronts, storeId, { $max: { installedAt } }));
  }

  noteUninstalled(storeId: string, at: Date): Promise<void> {
    const { storefronts } = this.#collections;
    const uninstalledAt = permittedTime(at, this.#clock.now());
    const now = new Date(this.#clock.now());
    return this.#history.recordAll(storeId, async (session) => {
      const { installedAt, uninstalledAt: before } = (await storefronts.findOne({ _id: storeId }, { session })) ?? {};
      if (before !== undefined && before >= at) return { changes: [], value: undefined };
      await storefronts.updateOne({ _id: storeId }, { $set: { uninstalledAt } }, { upsert: true, session });
      const isInstalledAgain = installedAt !== undefined && installedAt > at;
      const createdUntil = isInstalledAgain ? at : undefined;
      const changes = await revokeAccess(this.#collections, storeId, { session, now, createdUntil });
      return { changes, value: undefined };
    });
  }

  readWork(storeId: string): Promise<WorkState> {
    const { storefronts, storefrontMessages: messages, storefrontOrders: orders } = this.#collections;
    const count = async (filter: typeof isWaiting | typeof hasFailed) => {
      const found = await Promise.all([
        messages.countDocuments({ store: storeId, ...filter }, counted),
        orders.countDocuments({ store: storeId, ...filter }, counted),
      ]);
      return found[0] + found[1];
    };
    return databaseCall(async () => {
      // A message becomes a touch, and a touch becomes due orders: counted only before or only after the touch is read,
      // work could be overlooked while it changes its form.
      const countBefore = await count(isWaiting);
      const found = await storefronts.findOne({ _id: storeId }, limited);
      const touchCount = found !== null && isTouchLeft(found) ? 1 : 0;
      const waitingCount = Math.max(countBefore, await count(isWaiting)) + touchCount;
      return { waitingCount, failedCount: await count(hasFailed), lastMessageAt: found?.lastMessageAt };
    });
  }

  listProblems(...problemPage: Parameters<Storefronts["listProblems"]>): Promise<ProblemPage> {
    return readProblems(this.#collections, ...problemPage);
  }

  async retryFailed(storeId: string, actor: string, onFailure: (error: unknown) => void): Promise<number> {
    let count = 0;
    for (let retries = 0; retries < retriesMax; retries++) {
      const page = await this.#retrySome(storeId, retries === 0 ? actor : undefined).catch((error: unknown) => {
        // Earlier pages are committed, so the caller must process them. The rest is still listed as failed.
        if (count === 0) throw error;
        onFailure(error);
      });
      count += page?.count ?? 0;
      if (page === undefined || page.isLast) break;
    }
    return count;
  }

  /**
   * Makes failed work due, together with the store: otherwise no worker would find the work after a crash.
   *
   * @param recordFor the actor in the history, of whose retry this is the first page
   */
  #retrySome(
    storeId: string,
    recordFor: string | undefined,
  ): Promise<{ readonly count: number; readonly isLast: boolean }> {
    const { storefronts, storefrontMessages, storefrontOrders } = this.#collections;
    const failed = { store: storeId, ...hasFailed };
    // An unreadable message stays failed, because a retry cannot read it either.
    const failedMessages = { ...failed, kind: { $ne: "unreadable" as const } };
    return this.#history.recordAll(storeId, async (session) => {
      const now = new Date(this.#clock.now());
      // First, because each message and each worker of the store writes this document too.
      await storefronts.updateOne({ _id: storeId }, wakeUpdate(now), { upsert: true, session });
      const page = { session, projection: { _id: 1 } } as const;
      const readable = storefrontMessages.find(failedMessages, page).limit(retriedAtOnce);
      const messages = await readable.map(({ _id }) => _id).toArray();
      const orders = await storefrontOrders
        .find(failed, page)
        .limit(retriedAtOnce)
        .map(({ _id }) => _id)
        .toArray();
      await storefrontMessages.updateMany({ _id: { $in: messages } }, retryUpdate(now), { session });
      const retried = { ...retryUpdate(now), $inc: { version: 1 } };
      await storefrontOrders.updateMany({ _id: { $in: orders } }, retried, { session });
      const isLast = Math.max(messages.length, orders.length) < retriedAtOnce;
      const count = messages.length + orders.length;
      const value = { count, isLast };
      if (recordFor === undefined || count === 0) return { changes: [], value };
      const upTo = { session, limit: workCountMax };
      const left = isLast
        ? 0
        : (await storefrontMessages.countDocuments(failedMessages, upTo)) +
          (await storefrontOrders.countDocuments(failed, upTo));
      const details = { count: String(count + left) };
      return { changes: [{ action: "storefront.retried" as const, actor: recordFor, details }], value };
    });
  }
}
