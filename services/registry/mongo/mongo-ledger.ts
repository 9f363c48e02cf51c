import type { ClientSession, MongoClient } from "mongodb";
import { ServiceError } from "#shared/errors/service-error.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { Change, Ledger } from "../certificates/ledger.ts";
import { StoreDraft } from "../certificates/store-draft.ts";
import { renderSettingsOf } from "../stores/store.ts";
import type { Collections } from "./collections.ts";
import { databaseError, isDuplicateKey } from "./database-error.ts";
import type { DatabaseTime } from "./database-time.ts";
import type { StoreDocument } from "./documents.ts";
import { writesOf } from "./draft-writes.ts";
import { readState } from "./read-state.ts";
import { RetryTransaction } from "./retry-transaction.ts";
import { runTransaction } from "./run-transaction.ts";
import { advanceClock, timestampsUpTo } from "./store-clock.ts";
import { storeOf } from "./store-documents.ts";
import { documentWriter, type WriteDocuments } from "./write-documents.ts";

/** What a {@link MongoLedger} works with. */
export interface MongoLedgerDeps {
  readonly client: MongoClient;
  readonly collections: Collections;
  readonly clock: Clock;
  /** Default `$$NOW`. */
  readonly databaseTime?: DatabaseTime;
  /**
   * Default {@link advanceClock}. Another one is for tests, and for the feed checker, to show that it finds what a plain
   * clock breaks.
   */
  readonly advance?: typeof advanceClock;
  /** Default true. False: as if the server had refused to write to several collections in one command. */
  readonly writesInOneCommand?: boolean;
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
  readonly #write: WriteDocuments;

  constructor(deps: MongoLedgerDeps) {
    this.#deps = deps;
    this.#write = documentWriter(deps.client, deps.writesInOneCommand ?? true);
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
      const draft = await this.#draftOf(
        { ...store, clockReadAt: new Date(this.#deps.clock.now()) },
        changes,
        0,
      );
      return changes.map((change) => change.decide(draft));
    } catch (error) {
      throw databaseError(error);
    }
  }

  async #attempt<Result>(storeId: string, changes: readonly Change<Result>[], session: ClientSession) {
    const { collections } = this.#deps;
    const demand = { timestamps: sum(changes, "maxTimestamps"), serials: sum(changes, "serialsMax") };
    const { advance = advanceClock } = this.#deps;
    const store = await advance(collections.stores, storeId, demand, this.#databaseTime, session);
    waitForTime(store);
    const draft = await this.#draftOf(store, changes, demand.serials, session);
    const results = changes.map((change) => change.decide(draft));
    const wrote = !draft.isEmpty;
    if (wrote) await this.#writeDraft(draft, store, session);
    return { commit: wrote, value: { results, wrote } };
  }

  async #writeDraft(draft: StoreDraft, store: StoreDocument, session: ClientSession): Promise<void> {
    try {
      await this.#write(writesOf(this.#deps.collections, draft, store), session);
    } catch (error) {
      // Another replica issued the same unit between our snapshot and now: look again.
      if (isDuplicateKey(error) && draft.inserted.length > 0) throw new RetryTransaction(0);
      throw error;
    }
  }

  /** @param serialsTaken how many serial numbers the store's document counts as given away for these changes */
  async #draftOf(
    store: StoreDocument,
    changes: readonly Change<unknown>[],
    serialsTaken: number,
    session?: ClientSession,
  ): Promise<StoreDraft> {
    const { collections, serviceVerifyUrl } = this.#deps;
    return new StoreDraft({
      ...(await readState(collections, store._id, changes, session)),
      store: storeOf(store),
      settings: renderSettingsOf(store, serviceVerifyUrl),
      now: store.clockReadAt,
      timestamps: timestampsUpTo(store.clock, sum(changes, "maxTimestamps")),
      lastSerial: store.lastSerial - serialsTaken,
    });
  }
}

// No certificate shows a time that has not come yet: an import that outruns its store's clock waits.
function waitForTime(store: StoreDocument): void {
  const aheadMs = store.clock.getTime() - store.clockReadAt.getTime();
  if (aheadMs > 0 && aheadMs <= waitMaxMs) throw new RetryTransaction(aheadMs);
}

function sum(changes: readonly Change<unknown>[], field: "maxTimestamps" | "serialsMax"): number {
  return changes.reduce((total, change) => total + change[field], 0);
}
