import { type BulkWriteResult, MongoBulkWriteError } from "mongodb";
import { isDuplicateKey } from "./transient-error.ts";

/** The result of an unordered batch, some operations of which may have violated a unique index. */
interface BulkDuplicates {
  /** Positions of the operations that did, in the batch. */
  readonly indexes: readonly number[];
  /** Number of documents that the batch's updates matched; 0 for a batch of insertions. */
  readonly matchedCount: number;
}

type UnorderedResult = Pick<BulkWriteResult, "insertedCount"> & Partial<Pick<BulkWriteResult, "matchedCount">>;

/**
 * Waits for an unordered batch, and returns its duplicates; its other operations succeeded.
 *
 * @throws the batch's error if it has any other cause, even for one operation or besides the duplicates
 */
export async function bulkDuplicates(batch: Promise<UnorderedResult>): Promise<BulkDuplicates> {
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
