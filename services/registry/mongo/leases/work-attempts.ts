import type { Document, UpdateOptions } from "mongodb";
import type { Attempt, Attempts } from "../../storefront/storefront-storage.ts";
import type { StorefrontOrderDocument } from "../documents/storefront-documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import { limited } from "../driver/time-limits.ts";

/** The messages or the orders of storefronts. */
interface Works {
  updateOne(filter: Document, update: Document[], options: UpdateOptions): Promise<{ readonly matchedCount: number }>;
}

/** Selects a message or an order; with `version`, only if it has not changed since it was taken. */
interface Work {
  readonly _id: string;
  readonly version?: number;
}

/** How many workers may have died of a message or an order, one after the other; an expression. */
export const deathCount: Document = { $min: [{ $ifNull: ["$deaths", 0] }, "$attempts"] };

/** Returns the attempts that are stored, with the deaths as {@link deathCount} counts them. */
export function attemptsOf({ attempts, deaths = 0 }: Pick<StorefrontOrderDocument, "attempts" | "deaths">): Attempts {
  return { attempts, deaths: Math.min(deaths, attempts) };
}

/** Returns the update that makes a message or an order due that has failed for good. */
export function retryUpdate(now: Date) {
  return { $set: { dueAt: now, attempts: 0 }, $unset: { failure: 1, deaths: 1, begunBy: 1 } } as const;
}

/**
 * Counts an attempt to process a message or an order before it begins, unless the worker's last one is still counted as
 * its death.
 *
 * @returns whether the work is due
 */
export function beginAttempt(works: Works, work: Work, workerId: string, dueAt: Date): Promise<boolean> {
  const isCounted = { $and: [{ $eq: ["$begunBy", workerId] }, { $gt: [deathCount, 0] }] };
  const added = { $cond: [isCounted, 0, 1] };
  const counts = { attempts: { $add: ["$attempts", added] }, deaths: { $add: [deathCount, added] } };
  return updateDue(works, work, [{ $set: { ...counts, begunBy: workerId, dueAt } }]);
}

/** Records an attempt to process a message or an order. @returns whether the work is due */
export function recordAttempt(works: Works, work: Work, { added, retryAt, failure }: Attempt): Promise<boolean> {
  const attempts = { $max: [0, { $add: ["$attempts", added] }] };
  return updateDue(
    works,
    work,
    retryAt === undefined
      ? [{ $set: { attempts, failure: { $literal: failure } } }, { $unset: "dueAt" }]
      : [{ $set: { attempts, dueAt: retryAt } }],
  );
}

/** Takes the counts of {@link beginAttempt} back: a worker has survived, so that earlier deaths had other causes. */
export async function noteSurvived(works: Works, { _id }: Work): Promise<void> {
  const update = [{ $set: { attempts: { $subtract: ["$attempts", deathCount] } } }, { $unset: ["deaths", "begunBy"] }];
  await databaseCall(() => works.updateOne({ _id, deaths: { $exists: true } }, update, limited));
}

async function updateDue(works: Works, work: Work, update: Document[]): Promise<boolean> {
  const filter = { ...work, dueAt: { $exists: true } };
  return (await databaseCall(() => works.updateOne(filter, update, limited))).matchedCount === 1;
}
