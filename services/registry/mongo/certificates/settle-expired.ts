import { steadyClock } from "#shared/time/clock.ts";
import type { Collections } from "../documents/collections.ts";
import { updateEach } from "../driver/write-each.ts";

// Part of the condition of the partial index `may_expire`: a query must contain it to use the index.
const anyDate = { $gt: new Date(0) };

/**
 * Number of certificates per update: larger updates would delay the store's changes, which wait for the same documents.
 */
const batchSize = 200;

/** Default `budgetMs` of {@link settleExpired}: a list must not wait long if many certificates expire at once. */
export const settleBudgetMs = 500;

/**
 * Stores the status `expired` for a store's expired certificates, so that a list filtered by status scans only the
 * index entries of its page. Also stores `active` again for certificates that are stored as expired before their date,
 * because the database's clock was ahead. Leaves `updatedAt` unchanged and creates no event (INTERFACE.md §3). When
 * nothing has changed, reads at most one index entry per direction.
 *
 * @param remainingMs returns the time limit of the next operation, in milliseconds, or throws if no time is left
 * @param budgetMs time after which no further batch begins, in milliseconds; the first batch is always stored
 * @returns whether the stored status of all certificates is that at `now`
 */
export async function settleExpired(
  certificates: Collections["certificates"],
  storeId: string,
  now: Date,
  remainingMs: () => number,
  budgetMs = settleBudgetMs,
): Promise<boolean> {
  const deadline = steadyClock.now() + budgetMs;
  const directions = [
    { due: { store: storeId, status: "active", expiresAt: { ...anyDate, $lte: now } }, status: "expired" },
    { due: { store: storeId, status: "expired", expiresAt: { $gt: now } }, status: "active" },
  ] as const;
  for (const { due, status } of directions) {
    for (;;) {
      const batch = await certificates
        .find(due, { maxTimeMS: remainingMs(), projection: { _id: 1 } })
        .limit(batchSize)
        .toArray();
      if (batch.length === 0) break;
      const ids = batch.map(({ _id }) => _id);
      // Repeats the condition: a certificate may have changed since the read above.
      const options = { maxTimeMS: remainingMs() };
      await updateEach(certificates, ids, due, { $set: { status } }, options);
      if (batch.length < batchSize) break;
      if (steadyClock.now() >= deadline) return false;
    }
  }
  return true;
}

/** Condition of the partial index that {@link settleExpired} uses: certificates that can expire. */
export const mayExpire = { status: "active", expiresAt: anyDate } as const;

/** Condition of the partial index that {@link settleExpired} uses: certificates that are stored as expired. */
export const isStoredExpired = { status: "expired", expiresAt: anyDate } as const;
