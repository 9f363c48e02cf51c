import type { ClientSession, MongoClient } from "mongodb";
import type { Clock } from "#shared/time/clock.ts";
import type { Change, Ledger } from "../certificates/ledger.ts";
import { StoreDraft } from "../certificates/store-draft.ts";
import { storeNotFound } from "../values/not-found.ts";
import { renderSettingsOf } from "../values/store.ts";
import type { Collections } from "./collections.ts";
import { storeOf } from "./convert-documents.ts";
import { databaseCall, isDuplicateKey } from "./database-error.ts";
import type { DatabaseTime } from "./database-time.ts";
import type { StoreDocument } from "./documents.ts";
import { writesOf } from "./draft-writes.ts";
import { readState } from "./read-state.ts";
import { RetryTransaction, runTransaction } from "./run-transaction.ts";
import { advanceClock, timestampsUpTo } from "./store-clock.ts";
import { documentWriter, type WriteDocuments } from "./write-documents.ts";

/** Dependencies of {@link MongoLedger}. */
export interface MongoLedgerDeps {
  readonly client: MongoClient;
  readonly collections: Collections;
  readonly clock: Clock;
  /** Source of the physical time of stores' clocks. Default `$$NOW`. */
  readonly databaseTime?: DatabaseTime;
  /**
   * Default {@link advanceClock}. Tests replace it; the feed checker does so to prove that it detects a wall clock.
   */
  readonly advance?: typeof advanceClock;
  /** Whether to try `bulkWrite` across collections (MongoDB 8.0). Default true. */
  readonly writesInOneCommand?: boolean;
  /** Base URL of the service's own verification pages. */
  readonly serviceVerifyUrl: string;
  /** Called after each commit that wrote events. */
  readonly onEvents: () => void;
}

// A store's clock that is further ahead than this means that the database's clock was set back: do not wait for it.
const maxWaitMs = 2_000;

/** Implements Ledger with MongoDB: one transaction per group of changes. */
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
    const { results, wrote } = await databaseCall(() =>
      runTransaction(client, clock, (session) => this.#attempt(storeId, changes, session)),
    );
    if (wrote) onEvents();
    return results;
  }

  preview<Result>(storeId: string, changes: readonly Change<Result>[]): Promise<Result[]> {
    return databaseCall(async () => {
      const store = await this.#deps.collections.stores.findOne({ _id: storeId });
      if (store === null) throw storeNotFound();
      const clockReadAt = new Date(this.#deps.clock.now());
      const draft = await this.#draftOf({ ...store, clockReadAt }, changes, 0);
      return changes.map((change) => change.decide(draft));
    });
  }

  async #attempt<Result>(storeId: string, changes: readonly Change<Result>[], session: ClientSession) {
    const { collections, advance = advanceClock } = this.#deps;
    const demand = { timestamps: sum(changes, "maxTimestamps"), serials: sum(changes, "maxSerials") };
    const store = await advance(collections.stores, storeId, demand, this.#databaseTime, session);
    waitForClock(store);
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
      // Another replica issued the same order unit after this snapshot: retry with a new snapshot.
      if (isDuplicateKey(error) && draft.inserted.length > 0) throw new RetryTransaction(0);
      throw error;
    }
  }

  /** @param serialsTaken number of serial numbers that the store's document has reserved for these changes */
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

// No certificate may show a future time. An import can push its store's clock past the database's time; it then waits.
function waitForClock({ clock, clockReadAt }: StoreDocument): void {
  const aheadMs = clock.getTime() - clockReadAt.getTime();
  if (aheadMs > 0 && aheadMs <= maxWaitMs) throw new RetryTransaction(aheadMs);
}

function sum(changes: readonly Change<unknown>[], field: "maxTimestamps" | "maxSerials"): number {
  return changes.reduce((total, change) => total + change[field], 0);
}
