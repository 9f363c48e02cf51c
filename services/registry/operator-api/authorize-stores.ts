import type { DescMethod, Message } from "@bufbuild/protobuf";
import { LRUCache } from "lru-cache";
import { ServiceError } from "#shared/errors/service-error.ts";
import type { OperatorEntry } from "#shared/operators/operator-entry.ts";
import { storeNotFound } from "../values/not-found.ts";
import { mayUseAllStores } from "./operators.ts";
import { type NamedStore, storeScopeOf, storesNamedBy } from "./store-scopes.ts";

/** Returns the domain of a store. @throws ServiceError `not_found` */
export type FindShop = (storeId: string) => Promise<string>;

const rememberedStores = 10_000;

/** Caches the domains of stores, which never change. */
export function rememberShops(findShop: FindShop): FindShop {
  const shops = new LRUCache<string, string>({ max: rememberedStores });
  return async (storeId) => {
    const shop = shops.get(storeId) ?? (await findShop(storeId));
    shops.set(storeId, shop);
    return shop;
  };
}

/**
 * Checks that the operator may act on every store that a call concerns; an operator with access to all stores passes
 * without further checks. A method without a known scope is treated as one that concerns all stores.
 *
 * @throws ServiceError `not_found` for a store that the operator may not use, as if it did not exist, and for a request
 * that names no store; `unauthorized` if the method concerns all stores, but the operator is limited to some
 */
export async function authorizeStores(
  operator: OperatorEntry,
  method: DescMethod,
  message: Message,
  findShop: FindShop,
): Promise<void> {
  if (mayUseAllStores(operator)) return;
  if (storeScopeOf(method) !== "named_store")
    throw new ServiceError(
      "unauthorized",
      "The call concerns all stores, but the token is limited to certain stores. Use a token for all stores.",
    );
  const named = storesNamedBy(method, message);
  if (named.length === 0) throw storeNotFound();
  const shopOf = (store: NamedStore) => ("shop" in store ? store.shop : findShop(store.storeId));
  for (const store of named) if (!operator.stores.includes(await shopOf(store))) throw storeNotFound();
}
