import type { AroundPause } from "#shared/limits/places.ts";
import type { EditionsUsed } from "./editions-used.ts";
import type { StoreDraft } from "./store-draft.ts";

/** Keys of the documents that {@link Change.decide} needs. Omitted kinds are not read. */
export interface ChangeNeeds {
  readonly certificateIds?: readonly string[];
  readonly idempotencyKeys?: readonly string[];
  readonly issueKeys?: readonly string[];
  /** Ids of orders; all certificates of these orders are read. */
  readonly orderIds?: readonly string[];
  /** Ids of orders; of their certificates, those are read whose issue key has a line id (`hasLineId`). */
  readonly lineIdOrderIds?: readonly string[];
  /** Names of edition series that are not in the catalogue; see `IssueItem.edition`. */
  readonly editionSeries?: readonly string[];
  readonly skus?: readonly string[];
  /** Ids of orders whose versions are read; see `StorefrontInputs`. */
  readonly storefrontOrderIds?: readonly string[];
  /** Ids of products on the storefront platform whose tags are read. */
  readonly storefrontProductIds?: readonly string[];
  /** Ids of events whose latest redeliveries are read; see `StoreDraft.resentAs`. */
  readonly resentEventIds?: readonly string[];
  /** Up to which number the store's messages that wait to be sent are counted; see `StoreDraft.waitingCount`. */
  readonly waitingMax?: number;
}

/** The result of a change whose transaction ran out of timestamps before the change was complete. */
export class PartialResult<Result> {
  /** The result of the part that the transaction commits. */
  readonly soFar: Result;

  constructor(soFar: Result) {
    this.soFar = soFar;
  }
}

/** A change to a store's data, decided inside a transaction that holds the store's clock. */
export interface Change<Result> {
  readonly needs: ChangeNeeds;
  /** Maximum number of `updatedAt` values that the change uses. */
  readonly maxTimestamps: number;
  /** Maximum number of serial numbers that the change uses. */
  readonly maxSerials: number;
  /**
   * Whether the change compares an order's certificates with its record. Any other change that issues, revokes or
   * reactivates an order's certificate makes the order due for such a comparison. Default: false.
   */
  readonly isReconciliation?: boolean;
  /** The W3C `traceparent` for the change's events and messages. Default: none. */
  readonly traceparent?: string;
  /**
   * Writes the change into the draft, or refuses it. Must have no other side effects, because it runs again when the
   * transaction is retried. Must not throw: a refusal is returned, so that it does not fail the other changes of its
   * group. A change with {@link Change.continueFrom} may find fewer timestamps than it needs, and then returns a
   * {@link PartialResult}.
   */
  decide(draft: StoreDraft): Result | PartialResult<Result>;
  /**
   * Returns whether the result is stored for the request's idempotency key although the change wrote nothing. Without
   * this method, it is not.
   */
  isAnswer?(result: Result): boolean;
  /**
   * Returns the change that continues after a committed part. Without this method, the whole change is committed in
   * one transaction.
   */
  continueFrom?(soFar: Result): Change<Result>;
}

/** Options of {@link Ledger.commit}. */
export interface CommitOptions {
  /**
   * Maximum number of timestamps to wait for if the changes need more. If the first change cannot be committed in
   * parts, the transaction still waits for all timestamps of that change. Default: as many as the changes need.
   */
  readonly enoughTimestamps?: number;
  /** Time in milliseconds after which the transaction is not retried. Maximum and default: 10,000. */
  readonly timeLimitMs?: number;
  /** Wraps each pause between two attempts, so that other transactions can run meanwhile. Default: no wrapper. */
  readonly aroundPause?: AroundPause;
}

/** The result of {@link Ledger.preview}. */
export interface Preview<Result> {
  readonly result: Result;
  /** The edition numbers that the earlier previews and this one have used. */
  readonly editionsUsed: EditionsUsed;
}

/** Makes changes durable, in the order of the store's clock. */
export interface Ledger {
  /**
   * Decides and commits changes of one store in one transaction, together with the events they drafted. Waits until the
   * store's clock has timestamps for all changes, or as many as {@link CommitOptions.enoughTimestamps} requests; if
   * another replica uses some of them in the meantime, commits the changes for which enough remain.
   *
   * @returns the results of the first changes (at least one), in order; only the last result can be partial. Nothing is
   * written when no change drafted anything.
   * @throws ServiceError `not_found` for an unknown store, `unavailable` when the database is unavailable or overloaded
   * @throws EventTooLarge if the event of a change would be too large for NATS; nothing is then written
   */
  commit<Result>(
    storeId: string,
    changes: readonly Change<Result>[],
    options?: CommitOptions,
  ): Promise<(Result | PartialResult<Result>)[]>;

  /**
   * Decides a change against the store's current state and writes nothing. The result equals that of
   * {@link Ledger.commit} except for ids, serial numbers and timestamps, which only a commit assigns.
   *
   * @param editionsUsed the edition numbers that earlier previews have used; treated as assigned
   * @throws ServiceError `not_found` for an unknown store, `unavailable` when the database is unavailable
   */
  preview<Result>(storeId: string, change: Change<Result>, editionsUsed: EditionsUsed): Promise<Preview<Result>>;
}
