import type { Collections } from "../documents/collections.ts";

/** Converts stored documents to the form that this version writes, while the registry serves live traffic. */
export interface Migration {
  /** The date and the purpose. Unique; must never change, because the stored progress refers to it. */
  readonly id: string;
  /** The lowest {@link documentVersion} whose replicas write only the new form. */
  readonly version: number;
  /**
   * Converts a batch of documents. Must be idempotent, must not change `updatedAt`, and must not overwrite a document
   * that another client has changed since it was read.
   *
   * @param position the end of the previous batch; null for the first batch of a pass
   */
  convert(collections: Collections, position: string | null): Promise<ConvertedBatch>;
}

/** The result of one batch. */
interface ConvertedBatch {
  readonly changedCount: number;
  /** The end of this batch, where the next one begins; null after the last batch of a pass. */
  readonly next: string | null;
}

/**
 * The version of the documents that this version of the registry writes. Each replica stores it with its heartbeat.
 * Increment it when a migration is added.
 */
export const documentVersion = 1;
