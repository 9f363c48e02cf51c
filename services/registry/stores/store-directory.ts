import type { CatalogueProduct } from "./catalogue.ts";
import type { Plan, Store, StoreSettings } from "./store.ts";

/** A store with its plan. */
export interface StoreRecord extends Store {
  readonly plan: Plan;
}

/** How to find a store. */
export type StoreSelector = { readonly storeId: string } | { readonly shop: string };

/** A store to create. */
export interface NewStore {
  readonly id: string;
  readonly shop: string;
  readonly plan: Plan;
  readonly settings: StoreSettings;
}

/**
 * Where stores and what belongs to them are kept. Every method throws ServiceError `not_found` for an unknown store and
 * `unavailable` when the database is away.
 */
export interface StoreDirectory {
  /** Creates a store, or finds the one that has its domain already. */
  createStore(store: NewStore): Promise<StoreRecord>;
  findStore(selector: StoreSelector): Promise<StoreRecord>;
  /** Stores in the order of their domains, beginning after this one; empty: with the first. */
  listStores(afterShop: string, countMax: number): Promise<StoreRecord[]>;
  setPlan(storeId: string, plan: Plan): Promise<void>;
  setSettings(storeId: string, settings: StoreSettings): Promise<void>;
  /**
   * Creates or replaces products, all or none; the numbers that their editions gave away stay.
   *
   * @throws ServiceError `bad_request` when a SKU belongs to another product of the store, or an edition would be
   * smaller than what it gave away
   */
  putProducts(storeId: string, products: readonly Omit<CatalogueProduct, "editionIssued">[]): Promise<void>;
}
