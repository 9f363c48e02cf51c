import { rendererVersion } from "../../certificates/public-json.ts";
import { certificateOf, documentOf } from "../documents/convert-documents.ts";
import { operationTimeLimitMs } from "../driver/time-limits.ts";
import type { Migration } from "./migration.ts";

const batchSize = 500;

/** A certificate with the first two elements of its stored JSON (`StoredJson`), which are null if it has none. */
interface Scanned {
  readonly _id: string;
  readonly updatedAt: Date;
  readonly version: unknown;
  readonly renderedAt: unknown;
}

/**
 * Stores the public JSON of certificates whose JSON is missing or not current (`StoredJson`). If a page of the list
 * contains such a certificate, the list reads the page twice.
 */
export const certificateJson: Migration = {
  id: "2026-11-22-certificate-json",
  version: 1,
  async convert({ certificates }, position) {
    const scanned = await certificates
      .aggregate<Scanned>(
        [
          { $match: position === null ? {} : { _id: { $gt: position } } },
          { $sort: { _id: 1 } },
          { $limit: batchSize },
          {
            $project: {
              updatedAt: 1,
              version: { $arrayElemAt: ["$json", 0] },
              renderedAt: { $arrayElemAt: ["$json", 1] },
            },
          },
        ],
        { maxTimeMS: operationTimeLimitMs },
      )
      .toArray();
    const next = scanned.length < batchSize ? null : (scanned.at(-1)?._id ?? null);
    const ids = scanned.filter((one) => !isCurrent(one)).map(({ _id }) => _id);
    if (ids.length === 0) return { changedCount: 0, next };
    const found = await certificates.find({ _id: { $in: ids } }, { maxTimeMS: operationTimeLimitMs }).toArray();
    const updates = found.flatMap((document) => {
      const { _id, updatedAt } = document;
      const { json } = documentOf(certificateOf(document));
      // Skips a certificate that was changed meanwhile: it has a later `updatedAt`.
      const filter = { _id, updatedAt };
      return json === undefined ? [] : [{ updateOne: { filter, update: { $set: { json } } } }];
    });
    const { modifiedCount } = await certificates.bulkWrite(updates, {
      ordered: false,
      maxTimeMS: operationTimeLimitMs,
    });
    return { changedCount: modifiedCount, next };
  },
};

function isCurrent({ updatedAt, version, renderedAt }: Scanned): boolean {
  return version === rendererVersion && renderedAt instanceof Date && renderedAt.getTime() === updatedAt.getTime();
}
