import type { Store } from "../../values/store.ts";
import type { Collections } from "../documents/collections.ts";
import { storeOf } from "../documents/convert-documents.ts";
import type { StoreDocument } from "../documents/documents.ts";
import { limited } from "../driver/time-limits.ts";

type StoreAtTime = StoreDocument & { readonly now: Date };

/** Reads a store together with the database's time. @returns undefined for an unknown store */
export async function readStoreAtTime(
  stores: Collections["stores"],
  storeId: string,
): Promise<{ readonly store: Store; readonly now: Date } | undefined> {
  const pipeline = [{ $match: { _id: storeId } }, { $set: { now: "$$NOW" } }];
  const [found] = await stores.aggregate<StoreAtTime>(pipeline, limited).toArray();
  return found && { store: storeOf(found), now: found.now };
}
