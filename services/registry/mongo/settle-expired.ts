import type { Collections } from "./collections.ts";

// Repeats the condition of the partial index `may_expire`, so that queries can use it.
const anyDate = { $gt: new Date(0) };

/**
 * Stores the status `expired` for a store's expired certificates, so that a list by status reads only the keys of its page.
 * Changes nothing else: no `updatedAt`, no event (INTERFACE.md §3). Each certificate is written at most once; when none
 * has expired, this reads one key.
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
