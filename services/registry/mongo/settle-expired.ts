import type { Collections } from "./collections.ts";

// The index over what may expire is partial: a query has to say that it asks for nothing else.
const anyDate = { $gt: new Date(0) };

/**
 * Stores `expired` for the certificates of a store that are past their date, so that a list by status reads the keys of
 * its page and no others. Nothing else of them changes: no `updatedAt`, no event (INTERFACE.md §3). What is
 * past its date is written once in its life; when nothing is, this only reads one key.
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

/** Which certificates {@link settleExpired} finds by an index: those that can expire. */
export const mayExpire = { status: "active", expiresAt: anyDate } as const;
