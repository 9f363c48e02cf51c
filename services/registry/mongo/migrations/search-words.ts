import { searchWordsOf } from "../../certificates/search-words.ts";
import { operationTimeLimitMs } from "../driver/time-limits.ts";
import type { Migration } from "./migration.ts";

const batchSize = 500;
const options = { maxTimeMS: operationTimeLimitMs };
const projection = { serial: 1, order: 1, owner: 1, product: 1, words: 1, updatedAt: 1 };

/**
 * Stores the words by which a search finds a certificate. Compares all words: an earlier release keeps the words of the
 * former owner when it transfers or erases a certificate.
 */
export const searchWords: Migration = {
  id: "2026-11-28-search-words",
  version: 2,
  async convert({ certificates }, position) {
    const found = await certificates
      .find(position === null ? {} : { _id: { $gt: position } }, { ...options, projection })
      .sort({ _id: 1 })
      .limit(batchSize)
      .toArray();
    const updates = found.flatMap((document) => {
      const { _id, updatedAt } = document;
      const words = searchWordsOf(document);
      // Skips a certificate that was changed meanwhile: it has a later `updatedAt`.
      return isSame(words, document.words)
        ? []
        : [{ updateOne: { filter: { _id, updatedAt }, update: { $set: { words } } } }];
    });
    const next = found.length < batchSize ? null : (found.at(-1)?._id ?? null);
    if (updates.length === 0) return { changedCount: 0, next };
    const { modifiedCount } = await certificates.bulkWrite(updates, { ...options, ordered: false });
    return { changedCount: modifiedCount, next };
  },
};

function isSame(words: readonly string[], stored: readonly string[] | undefined): boolean {
  return stored?.length === words.length && words.every((word, index) => word === stored[index]);
}
