import { LRUCache } from "lru-cache";
import { unlessNotFound } from "#shared/errors/service-error.ts";
import type { StoreDirectory } from "../stores/store-directory.ts";

const rememberedStores = 10_000;

/**
 * Returns a function that looks up the id of the store with a given domain. It caches the ids of stores, which never
 * change.
 */
export function rememberStoreIds(stores: Pick<StoreDirectory, "findStore">) {
  const known = new LRUCache<string, string>({ max: rememberedStores });
  return async (shop: string): Promise<string | undefined> => {
    const storeId = known.get(shop) ?? (await findStoreId(stores, shop));
    if (storeId !== undefined) known.set(shop, storeId);
    return storeId;
  };
}

async function findStoreId(stores: Pick<StoreDirectory, "findStore">, shop: string): Promise<string | undefined> {
  return (await unlessNotFound(stores.findStore({ shop })))?.id;
}
