import type { Collections } from "../collections.ts";

/** A change of stored documents to the form that this version writes, made beside live traffic. */
export interface Migration {
  /** Unique, and never changed: the date and the purpose. */
  readonly id: string;
  /** The lowest {@link documentVersion} whose replicas write only the new form. */
  readonly version: number;
  /**
   * Converts a batch of documents. Must be idempotent, must not change `updatedAt`, and must leave a document alone
   * that another client has changed in the meantime.
   *
   * @param position the end of the previous batch; null: the first batch of a pass
   */
  convert(collections: Collections, position: string | null): Promise<ConvertedBatch>;
}

/** The result of one batch. */
export interface ConvertedBatch {
  readonly changedCount: number;
  /** Where the next batch begins; null after the last batch of a pass. */
  readonly next: string | null;
}

/**
 * The version of the documents that this version of the registry writes. Each replica stores it with its heartbeat.
 * Increment it when a migration is added.
 */
export const documentVersion = 1;
