import type { StoreDraft } from "./store-draft.ts";

/** What a change must see of the store before it decides; nothing that is left out. */
export interface ChangeNeeds {
  /** Certificates that it asks for, by id. */
  readonly certificateIds?: readonly string[];
  /** Request ids whose first answers it asks for. */
  readonly idempotencyKeys?: readonly string[];
  /** Order units whose certificates it asks for. */
  readonly issueKeys?: readonly string[];
  /** SKUs whose products it asks for. */
  readonly skus?: readonly string[];
}

/** One change of a store, decided inside a transaction that holds the store's clock. */
export interface Change<Result> {
  readonly needs: ChangeNeeds;
  /** `updatedAt` values that it takes at the most. */
  readonly maxTimestamps: number;
  /** Serial numbers that it takes at the most. */
  readonly serialsMax: number;
  /**
   * Decides and writes into the draft. Pure but for the draft; it runs again when the transaction does. It must not
   * throw: a refusal is a result.
   */
  decide(draft: StoreDraft): Result;
}

/** Where changes become durable, in the order of the store's clock. */
export interface Ledger {
  /**
   * Decides and commits changes of one store in one transaction, with the events they drafted.
   *
   * @returns the results, in the order of the changes; nothing is written when no change drafted anything
   * @throws ServiceError `not_found` for an unknown store, `unavailable` when the database is away or too busy
   */
  commit<Result>(storeId: string, changes: readonly Change<Result>[]): Promise<Result[]>;

  /**
   * Decides changes against the store as it is and writes nothing: what {@link Ledger.commit} would answer, but for ids,
   * serial numbers and times, which are only given away by a commit.
   */
  preview<Result>(storeId: string, changes: readonly Change<Result>[]): Promise<Result[]>;
}
