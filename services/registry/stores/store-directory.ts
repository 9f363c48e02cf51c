import type { ProductInput } from "../values/catalogue-product.ts";
import type { Plan, Store, StoreSettings } from "../values/store.ts";

/** A store with its plan. */
export interface StoreRecord extends Store {
  readonly plan: Plan;
}

/** Identifies a store. */
export type StoreSelector = { readonly storeId: string } | { readonly shop: string };

/** A store to create. */
export type NewStore = Omit<StoreRecord, "hasWebhook">;

/**
 * Storage of stores, their plans and their catalogues. Methods throw ServiceError `not_found` for an unknown store and
 * `unavailable` when the database is unavailable.
 */
export interface StoreDirectory {
  /** Creates a store, or returns the existing one with its domain. */
  createStore(store: NewStore): Promise<StoreRecord>;
  findStore(selector: StoreSelector): Promise<StoreRecord>;
  /** Returns stores ordered by domain. @param afterShop the page starts after this domain; empty: with the first */
  listStores(afterShop: string, countMax: number): Promise<StoreRecord[]>;
  setPlan(storeId: string, plan: Plan): Promise<void>;
  setSettings(storeId: string, settings: StoreSettings): Promise<void>;
  /**
   * Creates or replaces products, all or none. The assigned edition numbers do not change.
   *
   * @throws ServiceError `bad_request` when a SKU belongs to another product of the store, or an edition would become
   * smaller than its assigned numbers
   */
  putProducts(storeId: string, products: readonly ProductInput[]): Promise<void>;
}
