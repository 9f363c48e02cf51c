import type { Filter } from "mongodb";
import type { Collections } from "../documents/collections.ts";
import type { StorefrontOrderDocument } from "../documents/storefront-documents.ts";
import { storefrontKey } from "../documents/storefront-keys.ts";
import { databaseCall } from "../driver/database-error.ts";
import { operationTimeLimitMs } from "../driver/time-limits.ts";
import type { Write } from "../driver/write-documents.ts";
import { wakeStorefront } from "../leases/mongo-work-queue.ts";

const options = { maxTimeMS: operationTimeLimitMs };
const touchedAtOnce = 1_000;

/**
 * Returns the update that makes an order due because an input of its plan has changed. The new version stops a worker
 * that has read the earlier inputs: its change then writes nothing, and does not settle the order.
 */
export function dueUpdate(now: Date) {
  return { $set: { dueAt: now, attempts: 0 }, $unset: { failure: 1 as const }, $inc: { version: 1 } };
}

/** Returns the writes that make orders due as part of a transaction. Orders that have no record are left out. */
export function dueWrites(
  { storefrontOrders, storefronts }: Pick<Collections, "storefrontOrders" | "storefronts">,
  storeId: string,
  orderIds: ReadonlySet<string>,
  now: Date,
): Write[] {
  if (orderIds.size === 0) return [];
  const _id = { $in: [...orderIds].map((id) => storefrontKey(storeId, id)) };
  return [
    { name: "updateMany", namespace: storefrontOrders.namespace, filter: { _id }, update: dueUpdate(now) },
    { name: "updateOne", namespace: storefronts.namespace, filter: { _id: storeId }, update: wakeUpdate(now) },
  ];
}

/**
 * Returns the update that makes a store's work due as part of a transaction. It always changes the document, so that
 * the transaction conflicts with a worker that is just finishing the store's earlier work.
 */
export function wakeUpdate(now: Date) {
  return { $min: { dueAt: now }, $inc: { wakes: 1 } };
}

/** Makes the matching orders of a store due, in parts that each take much less than the time limit. */
export function touchOrders(
  { storefrontOrders, storefronts }: Pick<Collections, "storefrontOrders" | "storefronts">,
  storeId: string,
  filter: Filter<StorefrontOrderDocument>,
  now: () => Date,
): Promise<void> {
  return databaseCall(async () => {
    for (let after = `${storeId}/`; ; ) {
      const found = await storefrontOrders
        .find({ $and: [{ store: storeId, _id: { $gt: after } }, filter] }, { ...options, projection: { _id: 1 } })
        .sort({ _id: 1 })
        .limit(touchedAtOnce)
        .toArray();
      const last = found.at(-1);
      if (last === undefined) return;
      // Before the orders of this part, so that these are processed even if a later part fails.
      await wakeStorefront(storefronts, storeId, now());
      await storefrontOrders.updateMany({ _id: { $in: found.map(({ _id }) => _id) } }, dueUpdate(now()), options);
      if (found.length < touchedAtOnce) return;
      after = last._id;
    }
  });
}
