import { certificateOf, documentOf } from "../documents/convert-documents.ts";
import { operationTimeLimitMs } from "../driver/time-limits.ts";
import type { Migration } from "./migration.ts";

const batchSize = 500;

/**
 * Adds the public JSON to certificates that are stored without it. If a page of the list contains such a
 * certificate, the list reads the page twice.
 */
export const certificateJson: Migration = {
  id: "2026-11-22-certificate-json",
  version: 1,
  async convert({ certificates }, position) {
    const scanned = await certificates
      .aggregate<{ _id: string; lacksJson: boolean }>(
        [
          { $match: position === null ? {} : { _id: { $gt: position } } },
          { $sort: { _id: 1 } },
          { $limit: batchSize },
          { $project: { lacksJson: { $eq: [{ $type: "$json" }, "missing"] } } },
        ],
        { maxTimeMS: operationTimeLimitMs },
      )
      .toArray();
    const next = scanned.length < batchSize ? null : (scanned.at(-1)?._id ?? null);
    const ids = scanned.flatMap(({ _id, lacksJson }) => (lacksJson ? [_id] : []));
    if (ids.length === 0) return { changedCount: 0, next };
    const found = await certificates.find({ _id: { $in: ids } }, { maxTimeMS: operationTimeLimitMs }).toArray();
    const updates = found.flatMap((document) => {
      const { _id, updatedAt } = document;
      const { json } = documentOf(certificateOf(document));
      // Skips a certificate that was changed meanwhile: it has a later `updatedAt`.
      const filter = { _id, updatedAt, json: { $exists: false } };
      return json === undefined ? [] : [{ updateOne: { filter, update: { $set: { json } } } }];
    });
    const { modifiedCount } = await certificates.bulkWrite(updates, {
      ordered: false,
      maxTimeMS: operationTimeLimitMs,
    });
    return { changedCount: modifiedCount, next };
  },
};
