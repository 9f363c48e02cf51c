import type { Document, UpdateFilter, UpdateOptions } from "mongodb";
import type { Attempt, Attempts } from "../../storefront/storefront-storage.ts";
import type { Collections } from "../documents/collections.ts";
import { compoundKey } from "../documents/compound-key.ts";
import type { StorefrontDocument, StorefrontOrderDocument } from "../documents/storefront-documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import { limited } from "../driver/time-limits.ts";
import { isDuplicateKey } from "../driver/transient-error.ts";
import type { Write } from "../driver/write-documents.ts";

/** Maximum number of inputs whose orders wait to be made due, before all orders of the store are. */
export const touchWaitingMax = 5_000;

/**
 * Returns the update that makes an order due because an input of its plan has changed. The new version stops a worker
 * that has read the earlier inputs: its change then writes nothing, and does not settle the order. The deaths of
 * workers stay counted: otherwise, an order that kills each of them would never fail for good if it changes often.
 *
 * @param set further fields of the order
 */
export function dueUpdate(now: Date, set: Partial<StorefrontOrderDocument> = {}): Document[] {
  const fields = Object.entries(set).map(([name, value]) => [name, { $literal: value }]);
  const due = { dueAt: now, attempts: deathCount, version: { $add: ["$version", 1] } };
  return [{ $set: { ...Object.fromEntries(fields), ...due } }, { $unset: "failure" }];
}

/** Returns the writes that make orders due as part of a transaction. Orders that have no record are left out. */
export function dueWrites(
  { storefrontOrders, storefronts }: Pick<Collections, "storefrontOrders" | "storefronts">,
  storeId: string,
  orderIds: ReadonlySet<string>,
  now: Date,
): Write[] {
  if (orderIds.size === 0) return [];
  const _id = { $in: [...orderIds].map((id) => compoundKey(storeId, id)) };
  return [
    { name: "updateMany", namespace: storefrontOrders.namespace, filter: { _id }, update: dueUpdate(now) },
    { name: "updateOne", namespace: storefronts.namespace, filter: { _id: storeId }, update: wakeUpdate(now) },
  ];
}

/**
 * Returns the update that makes a store's work due, unless it is due earlier. It always changes the document, so that a
 * transaction conflicts with a worker that is just finishing the store's earlier work, and it counts, so that this
 * worker notices it, however wrong the clock of `now` is.
 */
export function wakeUpdate(now: Date) {
  return { $min: { dueAt: now }, $inc: { wakes: 1 } };
}

/** Returns the update that makes the orders due that were placed since a time; like {@link touchUpdate}. */
export function touchSinceUpdate(touchSince: Date, now: Date) {
  const { $min, $inc } = wakeUpdate(now);
  return { $min: { ...$min, touchSince }, $inc };
}

/** The update of a storefront that only makes concurrent transactions conflict which write it, too. */
export const conflictUpdate = { $inc: { touches: 1 } } as const;

/**
 * Returns the update of a store's storefront that makes the orders due that wait for one of these inputs, as part of
 * the transaction that changes the inputs. The orders themselves become due when a worker claims the store, because
 * there can be more of them than a transaction can change.
 *
 * @param found the storefront in the transaction; null if it does not exist
 */
export function touchUpdate(
  found: Pick<StorefrontDocument, "touchWaiting"> | null,
  waitsFor: readonly string[],
  now: Date,
) {
  // While a pass over many orders lasts, more inputs can change than a document should list.
  if ((found?.touchWaiting ?? []).length + waitsFor.length > touchWaitingMax)
    return { ...touchSinceUpdate(new Date(0), now), $unset: { touchWaiting: 1 as const } };
  const { $min, $inc } = wakeUpdate(now);
  return { $addToSet: { touchWaiting: { $each: [...waitsFor] } }, $min, $inc: { ...$inc, touches: 1 } };
}

/** Returns whether orders have yet to be made due because of a change outside of them. */
export function isTouchLeft({ touchSince, touchWaiting, touching }: TouchFields): boolean {
  return touchSince !== undefined || touchWaiting !== undefined || touching !== undefined;
}

type TouchFields = Pick<StorefrontDocument, "touchSince" | "touchWaiting" | "touching">;

/** Applies an update to a store's storefront document, and creates the document if it does not exist. */
export async function upsertStorefront(
  storefronts: Collections["storefronts"],
  storeId: string,
  update: UpdateFilter<StorefrontDocument> | Document[],
  limits = limited,
): Promise<void> {
  const upsert = () => storefronts.updateOne({ _id: storeId }, update, { ...limits, upsert: true });
  try {
    await upsert();
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    // A concurrent call has inserted the document, so the second attempt updates it.
    await upsert();
  }
}

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
const deathCount: Document = { $min: [{ $ifNull: ["$deaths", 0] }, "$attempts"] };

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
