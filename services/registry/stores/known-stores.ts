import { LRUCache } from "lru-cache";
import type { StoreDirectory, StoreRecord, StoreSelector } from "./store-directory.ts";

const storesMax = 10_000;

/** A store's id and domain. Neither of them ever changes, and stores are never deleted. */
type KnownStore = Pick<StoreRecord, "id" | "shop">;

/** Looks stores up by id or domain, and remembers those that it found. */
export class KnownStores {
  readonly #stores: Pick<StoreDirectory, "findStore">;
  readonly #byId = new LRUCache<string, KnownStore>({ max: storesMax });
  readonly #byShop = new LRUCache<string, KnownStore>({ max: storesMax });

  constructor(stores: Pick<StoreDirectory, "findStore">) {
    this.#stores = stores;
  }

  /** @throws ServiceError `not_found` if no store has the id or the domain */
  async find(selector: StoreSelector): Promise<KnownStore> {
    const known = "shop" in selector ? this.#byShop.get(selector.shop) : this.#byId.get(selector.storeId);
    if (known !== undefined) return known;
    const { id, shop } = await this.#stores.findStore(selector);
    const found = { id, shop };
    this.#byId.set(id, found);
    this.#byShop.set(shop, found);
    return found;
  }
}
