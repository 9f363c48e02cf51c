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
import { permittedTime } from "../../values/platform-lead.ts";
import type { Collections } from "../documents/collections.ts";
import { databaseCall } from "../driver/database-error.ts";
import { limited } from "../driver/time-limits.ts";
import { dueUpdate, retryUpdate, touchSinceUpdate, upsertStorefront, wakeUpdate } from "../leases/due-orders.ts";
import type { MongoStoreHistory } from "../stores/mongo-store-history.ts";
import { type AccessCollections, revokeAccess } from "./revoke-access.ts";
import { hasFailed, readProblems } from "./storefront-problems.ts";

const counted = { ...limited, limit: workCountMax };
// A transaction must not change more documents than a moment allows.
const retriedAtOnce = 100;
const retriesMax = workCountMax / retriedAtOnce;
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
      const { touchSince: since, touchWaiting: waitsFor = [], touches: version = 0 } = found ?? {};
      const touch = since === undefined && waitsFor.length === 0 ? undefined : { version, since, waitsFor };
      return { rules, rulesVersion, erasures, installedAt, uninstalledAt, touch };
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
        await storefronts.updateOne({ _id: storeId, rulesVersion }, { $unset: { touchSince: 1 as const } }, limited);
      if (touch !== undefined && touch.waitsFor.length > 0)
        await storefronts.updateOne(
          { _id: storeId, touches: touch.version },
          { $unset: { touchWaiting: 1 as const } },
          limited,
        );
    });
  }

  noteInstalled(storeId: string, at: Date): Promise<void> {
    const installedAt = permittedTime(at, this.#clock);
    return databaseCall(() => upsertStorefront(this.#collections.storefronts, storeId, { $max: { installedAt } }));
  }

  noteUninstalled(storeId: string, at: Date): Promise<void> {
    const { storefronts } = this.#collections;
    const uninstalledAt = permittedTime(at, this.#clock);
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

  async retryFailed(storeId: string, onFailure: (error: unknown) => void): Promise<number> {
    let count = 0;
    for (let retries = 0; retries < retriesMax; retries++) {
      const page = await this.#retrySome(storeId).catch((error: unknown) => {
        // Earlier pages are committed, so the caller must record and process them. The rest is still listed as failed.
        if (count === 0) throw error;
        onFailure(error);
      });
      count += page?.count ?? 0;
      if (page === undefined || page.isLast) break;
    }
    return count;
  }

  /** Makes failed work due, together with the store: otherwise no worker would find the work after a crash. */
  #retrySome(storeId: string): Promise<{ readonly count: number; readonly isLast: boolean }> {
    const { storefronts, storefrontMessages, storefrontOrders } = this.#collections;
    const failed = { store: storeId, ...hasFailed };
    return this.#history.transact(async (session) => {
      const now = new Date(this.#clock.now());
      // First, because each message and each worker of the store writes this document too.
      await storefronts.updateOne({ _id: storeId }, wakeUpdate(now), { upsert: true, session });
      const page = { session, projection: { _id: 1 } } as const;
      // An unreadable message stays failed, because a retry cannot read it either.
      const readable = storefrontMessages.find({ ...failed, kind: { $ne: "unreadable" } }, page).limit(retriedAtOnce);
      const messages = await readable.map(({ _id }) => _id).toArray();
      const orders = await storefrontOrders
        .find(failed, page)
        .limit(retriedAtOnce)
        .map(({ _id }) => _id)
        .toArray();
      await storefrontMessages.updateMany({ _id: { $in: messages } }, retryUpdate(now), { session });
      await storefrontOrders.updateMany({ _id: { $in: orders } }, dueUpdate(now), { session });
      const isLast = Math.max(messages.length, orders.length) < retriedAtOnce;
      return { commit: true, value: { count: messages.length + orders.length, isLast } };
    });
  }
}
