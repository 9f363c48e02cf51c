import { LRUCache } from "lru-cache";
import { ServiceError } from "#shared/errors/service-error.ts";
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
  try {
    return (await stores.findStore({ shop })).id;
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not_found") return undefined;
    throw error;
  }
}
