import { MongoBulkWriteError } from "mongodb";
import { isDuplicateKey } from "./transient-error.ts";

/** The result of an unordered batch in which some operations violated a unique index. */
export interface BulkDuplicates {
  /** Positions of these operations in the batch. */
  readonly indexes: readonly number[];
  /** Number of documents that the batch's updates matched. */
  readonly matchedCount: number;
}

/**
 * Returns the duplicates that made an unordered batch fail; its other operations succeeded.
 *
 * @throws the error itself if it has any other cause
 */
export function bulkDuplicates(error: unknown): BulkDuplicates {
  if (!(error instanceof MongoBulkWriteError && isDuplicateKey(error))) throw error;
  const failures = [error.writeErrors].flat();
  if (failures.some(({ code }) => code !== error.code)) throw error;
  return { indexes: failures.map(({ index }) => index), matchedCount: error.matchedCount };
}
