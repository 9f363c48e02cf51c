import { type BulkWriteResult, MongoBulkWriteError, type WriteError } from "mongodb";
import { expect, test } from "vitest";
import { bulkDuplicates } from "./bulk-duplicates.ts";

const duplicateKey = 11_000;
const documentTooLarge = 10_334;

/** Returns the error of an unordered batch whose operations failed with these codes, in order. */
function failedBatch(...codes: readonly number[]): MongoBulkWriteError {
  const writeErrors = codes.map((code, index) => ({ index, code }) as WriteError);
  const result = { matchedCount: 3, getWriteConcernError: () => undefined };
  return new MongoBulkWriteError({ message: "failed", code: codes[0] ?? 0, writeErrors }, result as BulkWriteResult);
}

test("returns the positions of the duplicates", async () => {
  const { indexes } = await bulkDuplicates(Promise.reject(failedBatch(duplicateKey, duplicateKey)));
  expect(indexes).toEqual([0, 1]);
});

test.each([[[duplicateKey, documentTooLarge]], [[documentTooLarge, duplicateKey]]])(
  "throws the error of a batch with the codes %j, because not every failed operation is a duplicate",
  async (codes) => {
    const error = failedBatch(...codes);
    await expect(bulkDuplicates(Promise.reject(error))).rejects.toBe(error);
  },
);
