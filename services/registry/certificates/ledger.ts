import type { StoreDraft } from "./store-draft.ts";

/** Keys of the documents that a change needs in order to decide. Omitted kinds are not read. */
export interface ChangeNeeds {
  readonly certificateIds?: readonly string[];
  readonly idempotencyKeys?: readonly string[];
  readonly issueKeys?: readonly string[];
  readonly skus?: readonly string[];
}

/** A change to a store's data, decided inside a transaction that holds the store's clock. */
export interface Change<Result> {
  readonly needs: ChangeNeeds;
  /** Maximum number of `updatedAt` values that the change uses. */
  readonly maxTimestamps: number;
  /** Maximum number of serial numbers that the change uses. */
  readonly maxSerials: number;
  /**
   * Decides the change and writes it into the draft. Must have no other side effects, because it runs again when the
   * transaction is retried. Must not throw: a refusal is returned, so that it does not fail the other changes of its
   * group.
   */
  decide(draft: StoreDraft): Result;
}

/** Makes changes durable, in the order of the store's clock. */
export interface Ledger {
  /**
   * Decides and commits changes of one store in one transaction, together with the events they drafted.
   *
   * @returns the results, in the order of the changes; nothing is written when no change drafted anything
   * @throws ServiceError `not_found` for an unknown store, `unavailable` when the database is unavailable or overloaded
   */
  commit<Result>(storeId: string, changes: readonly Change<Result>[]): Promise<Result[]>;

  /**
   * Decides changes against the store's current state and writes nothing. The results equal those of {@link Ledger.commit}
   * except for ids, serial numbers and timestamps, which only a commit assigns.
   */
  preview<Result>(storeId: string, changes: readonly Change<Result>[]): Promise<Result[]>;
}
