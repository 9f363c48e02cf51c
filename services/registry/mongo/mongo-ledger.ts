import type { ClientSession, MongoClient } from "mongodb";
import { ServiceError } from "#shared/errors/service-error.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { Change, ChangeNeeds, Ledger } from "../certificates/ledger.ts";
import { StoreDraft, type StoreState } from "../certificates/store-draft.ts";
import { certificateOf, documentOf } from "./certificate-documents.ts";
import type { Collections } from "./collections.ts";
import { databaseError, isDuplicateKey } from "./database-error.ts";
import type { DatabaseTime } from "./database-time.ts";
import type { OutboxDocument, StoreDocument } from "./documents.ts";
import { encodeEvents } from "./encode-events.ts";
import { productOf } from "./product-documents.ts";
import { RetryTransaction } from "./retry-transaction.ts";
import { runTransaction } from "./run-transaction.ts";
import { advanceClock, ticksUpTo } from "./store-clock.ts";
import { storeOf } from "./store-documents.ts";

/** What a {@link MongoLedger} works with. */
export interface MongoLedgerDeps {
  readonly client: MongoClient;
  readonly collections: Collections;
  readonly clock: Clock;
  /** Default `$$NOW`. */
  readonly databaseTime?: DatabaseTime;
  /** The service's own verification address. */
  readonly serviceVerifyUrl: string;
  /** Told after each commit that wrote events. */
  readonly onEvents: () => void;
}

// A clock further ahead than this was left behind by a database clock that jumped back: waiting would not end.
const waitMaxMs = 2_000;

/** The ledger in MongoDB: one transaction for each group of changes. */
export class MongoLedger implements Ledger {
  readonly #deps: MongoLedgerDeps;
  readonly #databaseTime: DatabaseTime;

  constructor(deps: MongoLedgerDeps) {
    this.#deps = deps;
    this.#databaseTime = deps.databaseTime ?? (() => "$$NOW");
  }

  async commit<Result>(storeId: string, changes: readonly Change<Result>[]): Promise<Result[]> {
    const { client, clock, onEvents } = this.#deps;
    try {
      const { results, wrote } = await runTransaction(client, clock, (session) =>
        this.#attempt(storeId, changes, session),
      );
      if (wrote) onEvents();
      return results;
    } catch (error) {
      throw databaseError(error);
    }
  }

  async preview<Result>(storeId: string, changes: readonly Change<Result>[]): Promise<Result[]> {
    try {
      const store = await this.#deps.collections.stores.findOne({ _id: storeId });
      if (store === null) throw new ServiceError("not_found", "There is no such store.");
      const ticks = ticksUpTo(store.clock, sum(changes, "ticksMax"));
      const draft = new StoreDraft(await this.#readState(store, ticks, store.lastSerial, changes));
      return changes.map((change) => change.decide(draft));
    } catch (error) {
      throw databaseError(error);
    }
  }

  async #attempt<Result>(storeId: string, changes: readonly Change<Result>[], session: ClientSession) {
    const demand = { ticks: sum(changes, "ticksMax"), serials: sum(changes, "serialsMax") };
    const { stores } = this.#deps.collections;
    const store = await advanceClock(stores, storeId, demand, this.#databaseTime, session);
    waitForTime(store);
    const ticks = ticksUpTo(store.clock, demand.ticks);
    const state = await this.#readState(store, ticks, store.lastSerial - demand.serials, changes, session);
    const draft = new StoreDraft(state);
    const results = changes.map((change) => change.decide(draft));
    if (!draft.isEmpty) await this.#write(draft, store, session);
    return { commit: !draft.isEmpty, value: { results, wrote: !draft.isEmpty } };
  }

  async #readState(
    store: StoreDocument,
    ticks: readonly Date[],
    lastSerial: number,
    changes: readonly Change<unknown>[],
    session?: ClientSession,
  ): Promise<StoreState> {
    const options = session === undefined ? {} : { session };
    const { certificates, products } = this.#deps.collections;
    const issueKeys = needed(changes, "issueKeys");
    const skus = needed(changes, "skus");
    // One after the other: a transaction runs one statement at a time.
    const issued =
      issueKeys.length === 0
        ? []
        : await certificates.find({ store: store._id, issueKey: { $in: issueKeys } }, options).toArray();
    const listed =
      skus.length === 0
        ? []
        : await products.find({ "_id.store": store._id, "variants.sku": { $in: skus } }, options).toArray();
    return {
      store: storeOf(store),
      lastSerial,
      ticks,
      issued: new Map(issued.map((document) => [document.issueKey ?? "", certificateOf(document)])),
      products: new Map(
        listed
          .map(productOf)
          .flatMap((product) => product.variants.map(({ sku }) => [sku, product] as const)),
      ),
    };
  }

  async #write(draft: StoreDraft, store: StoreDocument, session: ClientSession): Promise<void> {
    const { certificates, outbox, products, stores } = this.#deps.collections;
    try {
      if (draft.inserted.length > 0)
        await certificates.insertMany(draft.inserted.map(documentOf), { session });
    } catch (error) {
      // Another replica issued the same unit between our snapshot and now: look again.
      if (isDuplicateKey(error)) throw new RetryTransaction(0);
      throw error;
    }
    const events: OutboxDocument[] = encodeEvents(draft, this.#deps.serviceVerifyUrl);
    await outbox.insertMany(events, { session });
    if (draft.editionsIssued.size > 0) {
      const updates = [...draft.editionsIssued].map(([product, editionIssued]) => ({
        updateOne: { filter: { _id: { store: store._id, product } }, update: { $set: { editionIssued } } },
      }));
      await products.bulkWrite(updates, { session });
    }
    if (draft.lastSerial !== store.lastSerial) {
      // Fewer were issued than asked for; no number is left out.
      await stores.updateOne({ _id: store._id }, { $set: { lastSerial: draft.lastSerial } }, { session });
    }
  }
}

// No certificate shows a time that has not come yet: an import that outruns its store's clock waits.
function waitForTime(store: StoreDocument): void {
  const aheadMs = store.clock.getTime() - store.clockReadAt.getTime();
  if (aheadMs > 0 && aheadMs <= waitMaxMs) throw new RetryTransaction(aheadMs);
}

function sum(changes: readonly Change<unknown>[], field: "ticksMax" | "serialsMax"): number {
  return changes.reduce((total, change) => total + change[field], 0);
}

function needed(changes: readonly Change<unknown>[], field: keyof ChangeNeeds): string[] {
  return [...new Set(changes.flatMap(({ needs }) => needs[field]))];
}
