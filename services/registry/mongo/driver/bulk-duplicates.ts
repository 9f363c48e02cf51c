import { type BulkWriteResult, MongoBulkWriteError } from "mongodb";
import { isDuplicateKey } from "./transient-error.ts";

/** The result of a batch, some operations of which may have violated a unique index. */
interface BulkDuplicates {
  /** Positions of the operations that did, in the batch. */
  readonly indexes: readonly number[];
  /** Number of documents that the batch's updates matched; 0 for a batch of insertions. */
  readonly matchedCount: number;
}

type BatchResult = Pick<BulkWriteResult, "insertedCount"> & Partial<Pick<BulkWriteResult, "matchedCount">>;

/**
 * Waits for a batch, and returns its duplicates. Of an unordered batch, all other operations succeeded; of an ordered
 * one, those before the first duplicate.
 *
 * @throws the batch's error if it has any other cause, even for one operation or besides the duplicates
 */
export async function bulkDuplicates(batch: Promise<BatchResult>): Promise<BulkDuplicates> {
  try {
    const { matchedCount = 0 } = await batch;
    return { indexes: [], matchedCount };
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError && isDuplicateKey(error))) throw error;
    const failures = [error.writeErrors].flat();
    if (failures.some(({ code }) => code !== error.code)) throw error;
    return { indexes: failures.map(({ index }) => index), matchedCount: error.matchedCount };
  }
}
