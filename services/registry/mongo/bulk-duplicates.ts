import { MongoBulkWriteError } from "mongodb";
import { isDuplicateKey } from "./transient-error.ts";

/** What an unordered batch did although some of its inserts violated a unique index. */
export interface BulkDuplicates {
  /** Indexes of the operations that violated it. */
  readonly indexes: readonly number[];
  /** Number of documents that the batch's updates matched. */
  readonly matchedCount: number;
}

/**
 * Returns the duplicates that made an unordered batch fail; its other operations succeeded.
 *
 * @throws the error itself if anything other than a unique index made an operation fail
 */
export function bulkDuplicates(error: unknown): BulkDuplicates {
  if (!(error instanceof MongoBulkWriteError && isDuplicateKey(error))) throw error;
  const failures = [error.writeErrors].flat();
  if (failures.some(({ code }) => code !== error.code)) throw error;
  return { indexes: failures.map(({ index }) => index), matchedCount: error.matchedCount };
}
