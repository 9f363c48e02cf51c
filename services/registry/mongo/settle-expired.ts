import type { Collections } from "./collections.ts";

// Repeats the condition of the partial index `may_expire`, so that queries can use the index.
const anyDate = { $gt: new Date(0) };

/**
 * Stores the status `expired` for a store's expired certificates, so that a list filtered by status scans only the
 * index entries of its page. Leaves `updatedAt` unchanged and creates no event (INTERFACE.md §3). Writes each
 * certificate at most once; when no certificate has newly expired, reads a single index entry.
 */
export async function settleExpired(
  certificates: Collections["certificates"],
  storeId: string,
  now: Date,
  timeLimitMs: number,
): Promise<void> {
  const due = { store: storeId, status: "active", expiresAt: { ...anyDate, $lte: now } } as const;
  const options = { maxTimeMS: timeLimitMs };
  if ((await certificates.findOne(due, { ...options, projection: { _id: 1 } })) === null) return;
  await certificates.updateMany(due, { $set: { status: "expired" } }, options);
}

/** Condition of the partial index that {@link settleExpired} uses: certificates that can expire. */
export const mayExpire = { status: "active", expiresAt: anyDate } as const;
