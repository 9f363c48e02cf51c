import type { Document } from "mongodb";
import type { Clock } from "#shared/time/clock.ts";
import type { StorefrontRule } from "../../storefront/rules.ts";
import { rulesChanged } from "../../storefront/set-rules.ts";
import type {
  ProblemPage,
  ProblemPosition,
  RulesChange,
  Storefront,
  Storefronts,
  WorkState,
} from "../../storefront/storefront-storage.ts";
import { workCountMax } from "../../storefront/storefront-storage.ts";
import { storeNotFound } from "../../values/not-found.ts";
import { platformLeadMaxMs } from "../../values/platform-lead.ts";
import type { Collections } from "../documents/collections.ts";
import { storefrontKeysOf } from "../documents/storefront-documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import { addMs, earlier, later, toDate } from "../driver/database-time.ts";
import { operationTimeLimitMs } from "../driver/time-limits.ts";
import { dueUpdate, retryUpdate, touchSinceUpdate, upsertStorefront, wakeStorefront } from "../leases/due-orders.ts";
import type { MongoStoreHistory } from "../stores/mongo-store-history.ts";
import { hasFailed, readProblems } from "./storefront-problems.ts";

const options = { maxTimeMS: operationTimeLimitMs };
const counted = { ...options, limit: workCountMax };
const isWaiting = { dueAt: { $exists: true } };

type StorefrontCollections = Pick<
  Collections,
  "imageRequests" | "stores" | "storefronts" | "storefrontMessages" | "storefrontOrders"
>;

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
        stores.findOne({ _id: storeId }, { ...options, projection: { erasures: 1 } }),
        storefronts.findOne({ _id: storeId }, options),
      ]);
      const erasures = store?.erasures ?? 0;
      const { rules = [], rulesVersion = 0, installedAt, uninstalledAt, isClosing = false } = found ?? {};
      const { touchSince: since, touchWaiting: waitsFor = [], touches: version = 0 } = found ?? {};
      const touch = since === undefined && waitsFor.length === 0 ? undefined : { version, since, waitsFor };
      return { rules, rulesVersion, erasures, installedAt, uninstalledAt, isClosing, touch };
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
      if (store === null) throw storeNotFound();
      const found = await storefronts.findOne({ _id: storeId }, { projection: { rulesVersion: 1 }, session });
      if ((found?.rulesVersion ?? 0) !== expectedVersion) throw rulesChanged();
      const rulesVersion = expectedVersion + 1;
      const touch = touchSince && touchSinceUpdate(touchSince, new Date(this.#clock.now()));
      const update = { $set: { rules, rulesVersion }, ...touch };
      await storefronts.updateOne({ _id: storeId }, update, { upsert: true, session });
      return { hasChanged: true, value: rulesVersion };
    });
  }

  async noteTouched(
    storeId: string,
    { rulesVersion, touch }: Pick<Storefront, "rulesVersion" | "touch">,
  ): Promise<void> {
    const { storefronts } = this.#collections;
    await databaseCall(async () => {
      // Each part has its own version, so that a change of tags during the work does not repeat that of the rules.
      if (touch?.since !== undefined)
        await storefronts.updateOne({ _id: storeId, rulesVersion }, { $unset: { touchSince: 1 as const } }, options);
      if (touch !== undefined && touch.waitsFor.length > 0)
        await storefronts.updateOne(
          { _id: storeId, touches: touch.version },
          { $unset: { touchWaiting: 1 as const } },
          options,
        );
    });
  }

  noteInstalled(storeId: string, at: Date): Promise<void> {
    return this.#note(storeId, "installedAt", at, {});
  }

  noteUninstalled(storeId: string, at: Date): Promise<void> {
    return this.#note(storeId, "uninstalledAt", at, { isClosing: true });
  }

  async noteClosed(storeId: string, at: Date): Promise<void> {
    const { storefronts, imageRequests } = this.#collections;
    await databaseCall(async () => {
      await imageRequests.deleteMany(storefrontKeysOf(storeId), options);
      // A later removal that another replica began, and perhaps left unfinished, must still be completed.
      const ofThisRemoval = { _id: storeId, uninstalledAt: { $lte: at } };
      await storefronts.updateOne(ofThisRemoval, { $unset: { isClosing: "" } }, options);
    });
  }

  async #note(storeId: string, field: "installedAt" | "uninstalledAt", at: Date, more: Document): Promise<void> {
    // By the database's time, because every replica compares these times with those of the platform.
    const permitted = earlier(at, toDate(addMs("$$NOW", platformLeadMaxMs)));
    const latest = later(`$${field}`, permitted);
    await databaseCall(() =>
      upsertStorefront(this.#collections.storefronts, storeId, [{ $set: { [field]: latest, ...more } }]),
    );
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
      const found = await storefronts.findOne({ _id: storeId }, options);
      const { touchSince, touchWaiting, lastMessageAt } = found ?? {};
      const isTouchLeft = touchSince !== undefined || touchWaiting !== undefined;
      const waitingCount = Math.max(countBefore, await count(isWaiting)) + (isTouchLeft ? 1 : 0);
      return { waitingCount, failedCount: await count(hasFailed), lastMessageAt };
    });
  }

  listProblems(
    storeId: string,
    page: { readonly after: ProblemPosition | undefined; readonly countMax: number },
  ): Promise<ProblemPage> {
    return readProblems(this.#collections, storeId, page);
  }

  retryFailed(storeId: string): Promise<number> {
    const { storefronts, storefrontMessages, storefrontOrders } = this.#collections;
    const now = new Date(this.#clock.now());
    return databaseCall(async () => {
      // An unreadable message stays failed, because a retry cannot read it either.
      const readable = { store: storeId, ...hasFailed, kind: { $ne: "unreadable" } } as const;
      const messages = await storefrontMessages.updateMany(readable, retryUpdate(now), options);
      const orders = await storefrontOrders.updateMany({ store: storeId, ...hasFailed }, dueUpdate(now), options);
      await wakeStorefront(storefronts, storeId, now);
      return messages.matchedCount + orders.matchedCount;
    });
  }
}
