import type { ClientSession, MongoClient } from "mongodb";
import type { Clock } from "#shared/time/clock.ts";
import { type EditionsUsed, editionsUsedAfter, productsAfter } from "../../certificates/editions-used.ts";
import {
  type Change,
  type CommitOptions,
  type Ledger,
  PartialResult,
  type Preview,
} from "../../certificates/ledger.ts";
import { StoreDraft, type StoreState } from "../../certificates/store-draft.ts";
import { maxEventBytes } from "../../outbox/max-event-bytes.ts";
import { notFound } from "../../values/not-found.ts";
import { renderSettingsOf } from "../../values/store.ts";
import type { Collections } from "../documents/collections.ts";
import { storeOf } from "../documents/convert-documents.ts";
import type { StoreDocument } from "../documents/documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import type { DatabaseTime } from "../driver/database-time.ts";
import { type RetryOptions, RetryTransaction, runTransaction, timeLimitMaxMs } from "../driver/run-transaction.ts";
import { limited } from "../driver/time-limits.ts";
import { isDuplicateKey } from "../driver/transient-error.ts";
import { documentWriter, type WriteDocuments } from "../driver/write-documents.ts";
import { writesOf } from "./draft-writes.ts";
import { readState } from "./read-state.ts";
import { advanceClock, ClockWait, roomOf, timestampsUpTo } from "./store-clock.ts";

export interface MongoLedgerDeps {
  readonly client: MongoClient;
  readonly collections: Collections;
  /** Monotonic clock for the time limit and the pauses between attempts. */
  readonly clock: Clock;
  /** Physical time source for the stores' clocks. Default `$$NOW`. */
  readonly databaseTime?: DatabaseTime;
  /**
   * Default {@link advanceClock}. Tests replace it, for example to prove that the feed checker detects missed changes.
   */
  readonly advance?: typeof advanceClock;
  /** Whether to try `bulkWrite` across collections (MongoDB 8.0). Default true. */
  readonly writesInOneCommand?: boolean;
  /** Base URL of the service's own verification pages. */
  readonly serviceVerifyUrl: string;
  /**
   * Returns the maximum size of an event in bytes; a larger event is refused. Default: just under 1 MiB, the default
   * limit of NATS.
   */
  readonly maxEventBytes?: () => number;
  /** Whether events are also written for the stream of automation events. Default: false. */
  readonly hasAutomationEvents?: boolean;
  /** The epoch that each event contains: the last restore's. Default: the empty string, as before the first one. */
  readonly epoch?: string;
  /** See {@link RetryOptions.onSession}. */
  readonly onSession?: RetryOptions["onSession"];
  /** Called after each commit that wrote changes to a store, even if these have no events. */
  readonly onEvents: (storeId: string) => void;
  /**
   * Called after each commit that wrote changes, with the milliseconds since its `updatedAt` values were assigned.
   * Until the commit, clients that follow the list could not see the changes.
   */
  readonly onFeedLag?: (lagMs: number) => void;
}

/** Implements Ledger with MongoDB. Writes each group of changes in one transaction. */
export class MongoLedger implements Ledger {
  readonly #deps: MongoLedgerDeps;
  readonly #databaseTime: DatabaseTime;
  readonly #write: WriteDocuments;

  constructor(deps: MongoLedgerDeps) {
    this.#deps = deps;
    this.#write = documentWriter(deps.client, deps.writesInOneCommand ?? true);
    this.#databaseTime = deps.databaseTime ?? (() => "$$NOW");
  }

  async commit<Result>(
    storeId: string,
    changes: readonly Change<Result>[],
    { enoughTimestamps = Number.POSITIVE_INFINITY, timeLimitMs = timeLimitMaxMs, ...retries }: CommitOptions = {},
  ): Promise<(Result | PartialResult<Result>)[]> {
    const { client, clock, onEvents, onFeedLag, onSession } = this.#deps;
    const deadline = clock.now() + Math.min(timeLimitMs, timeLimitMaxMs);
    const timed = () => ({ ...retries, clock, onSession, timeLimitMs: deadline - clock.now() });
    return databaseCall(async () => {
      for (;;) {
        const wait = new ClockWait();
        const attempt = (session: ClientSession) =>
          this.#attempt(storeId, changes, { enoughTimestamps, wait, session });
        const { results, wrote, timestamps, assignedAt } = await runTransaction(client, attempt, timed());
        if (wrote) {
          onFeedLag?.(clock.now() - assignedAt);
          onEvents(storeId);
          return results;
        }
        const confirmed = await this.#confirm(storeId, changes, timestamps, timed());
        if (confirmed !== undefined) return confirmed;
        if (clock.now() >= deadline) throw new RetryTransaction(0);
      }
    });
  }

  preview<Result>(storeId: string, change: Change<Result>, used: EditionsUsed): Promise<Preview<Result>> {
    return databaseCall(async () => {
      const { results, draft, products } = await this.#decideOnly(storeId, [change], { used });
      const [result] = results;
      if (result === undefined || result instanceof PartialResult) throw new Error("the preview is incomplete");
      return { result, editionsUsed: editionsUsedAfter(used, products, draft.editionsIssued) };
    });
  }

  async #attempt<Result>(storeId: string, changes: readonly Change<Result>[], how: Attempt) {
    const { clock, collections, advance = advanceClock } = this.#deps;
    const { enoughTimestamps, wait, session } = how;
    const demand = { timestamps: sum(changes, "maxTimestamps"), serials: sum(changes, "maxSerials") };
    const store = await advance(collections.stores, storeId, demand, this.#databaseTime, session);
    const assignedAt = clock.now();
    const room = roomOf(store);
    const wanted = Math.min(demand.timestamps, enoughTimestamps);
    const pauseMs = wait.next(room, { wanted: Math.max(wanted, neededBy(changes)), needed: neededBy(changes) });
    if (pauseMs > 0) throw new RetryTransaction(pauseMs);
    const timestamps = timestampsUpTo(store.clock, Math.min(room.timestamps, demand.timestamps));
    const draft = new StoreDraft(await this.#stateOf(store, changes, { timestamps, serials: demand.serials }, session));
    const results = decideInOrder(changes, draft);
    const wrote = !draft.isEmpty;
    if (wrote) await this.#writeDraft(draft, store, session);
    return { commit: wrote, value: { results, wrote, timestamps, assignedAt } };
  }

  /**
   * Repeats the decisions of changes that wrote nothing, in a read-only transaction that is then committed: only the
   * commit guarantees that a majority of the replica set has the data behind the results. The store's clock does not
   * advance.
   *
   * @param timestamps those of the transaction that wrote nothing: with other timestamps, the decisions could differ
   * @returns undefined when the state has changed meanwhile, so that a change has something to write
   */
  async #confirm<Result>(
    storeId: string,
    changes: readonly Change<Result>[],
    timestamps: readonly Date[],
    options: RetryOptions,
  ) {
    const decide = async (session: ClientSession) => ({
      commit: true,
      value: await this.#decideOnly(storeId, changes, { timestamps, session }),
    });
    const { results, draft } = await runTransaction(this.#deps.client, decide, options);
    return draft.isEmpty ? results : undefined;
  }

  async #decideOnly<Result>(
    storeId: string,
    changes: readonly Change<Result>[],
    { timestamps, session, used = new Map() }: DecideOptions,
  ) {
    const pipeline = [{ $match: { _id: storeId } }, { $set: { clockReadAt: this.#databaseTime() } }];
    const { stores } = this.#deps.collections;
    const [store] = await stores.aggregate<StoreDocument>(pipeline, session ? { session } : limited).toArray();
    if (store === undefined) throw notFound("store");
    // Placeholders: these timestamps are never stored.
    const placeholders = timestamps ?? timestampsUpTo(store.clock, sum(changes, "maxTimestamps"));
    const state = await this.#stateOf(store, changes, { timestamps: placeholders, serials: 0 }, session);
    const products = productsAfter(state.products, used);
    const draft = new StoreDraft({ ...state, products });
    return { results: decideInOrder(changes, draft), draft, products };
  }

  async #writeDraft(draft: StoreDraft, store: StoreDocument, session: ClientSession): Promise<void> {
    const { hasAutomationEvents = false, epoch = "" } = this.#deps;
    const options = { maxEventBytes: this.#deps.maxEventBytes?.() ?? maxEventBytes(), hasAutomationEvents, epoch };
    try {
      await this.#write(writesOf(this.#deps.collections, draft, store, options), session);
    } catch (error) {
      // Another replica issued a certificate with the same issue key after this snapshot: retry with a new snapshot.
      if (isDuplicateKey(error) && draft.inserted.length > 0) throw new RetryTransaction(0);
      throw error;
    }
  }

  /** @param reserved the timestamps to assign, and how many reserved serial numbers `store.lastSerial` includes */
  async #stateOf(
    store: StoreDocument,
    changes: readonly Change<unknown>[],
    reserved: { readonly timestamps: readonly Date[]; readonly serials: number },
    session?: ClientSession,
  ): Promise<StoreState> {
    const { collections, serviceVerifyUrl } = this.#deps;
    return {
      ...(await readState(collections, store._id, changes, session)),
      store: storeOf(store),
      settings: renderSettingsOf(store, serviceVerifyUrl),
      now: store.clockReadAt,
      timestamps: reserved.timestamps,
      lastSerial: store.lastSerial - reserved.serials,
      erasures: store.erasures ?? 0,
    };
  }
}

interface Attempt {
  readonly enoughTimestamps: number;
  readonly wait: ClockWait;
  readonly session: ClientSession;
}

interface DecideOptions {
  readonly timestamps?: readonly Date[];
  readonly session?: ClientSession;
  readonly used?: EditionsUsed;
}

/**
 * Decides changes in order. Stops before a change for which too few timestamps are left, and after a partial result.
 */
function decideInOrder<Result>(
  changes: readonly Change<Result>[],
  draft: StoreDraft,
): (Result | PartialResult<Result>)[] {
  const results: (Result | PartialResult<Result>)[] = [];
  for (const change of changes) {
    if (draft.timestampsLeft < neededBy([change])) break;
    draft.traceparent = change.traceparent ?? "";
    draft.isReconciling = change.isReconciliation ?? false;
    const result = change.decide(draft);
    results.push(result);
    if (result instanceof PartialResult) break;
  }
  return results;
}

/** Returns the minimum number of timestamps that the first change needs to make progress. */
function neededBy([first]: readonly Change<unknown>[]): number {
  if (first === undefined) return 0;
  return first.continueFrom === undefined ? first.maxTimestamps : Math.min(1, first.maxTimestamps);
}

function sum(changes: readonly Change<unknown>[], field: "maxTimestamps" | "maxSerials"): number {
  return changes.reduce((total, change) => total + change[field], 0);
}
