import type { ImageWithContent } from "#shared/images/image.ts";
import type { ProductInput } from "../values/catalogue-product.ts";
import type { Plan, Store, StoreSettings } from "../values/store.ts";
import type { StoreChange } from "./store-history.ts";

/** A store with its plan. */
export interface StoreRecord extends Store {
  readonly plan: Plan;
  /** Number of changes of the settings so far. */
  readonly settingsVersion: number;
}

/** Identifies a store by its id or its domain. */
export type StoreSelector = { readonly storeId: string } | { readonly shop: string };

/** A new store, which has no webhook yet. */
export type NewStore = Omit<StoreRecord, "hasWebhook" | "settingsVersion">;

/**
 * Storage of stores, their plans and their catalogues. Each change is written together with its entry in the store's
 * history. Methods throw ServiceError `not_found` for an unknown store and `unavailable` when the database is
 * unavailable.
 */
export interface StoreDirectory {
  /** Creates a store. If a store with the same domain exists, returns that store unchanged and writes no entry. */
  createStore(store: NewStore, change: StoreChange): Promise<StoreRecord>;
  findStore(selector: StoreSelector): Promise<StoreRecord>;
  /**
   * Returns stores ordered by domain.
   *
   * @param afterShop the domain after which the page starts; empty for the first page
   */
  listStores(afterShop: string, countMax: number): Promise<StoreRecord[]>;
  setPlan(storeId: string, plan: Plan, change: StoreChange): Promise<void>;
  /**
   * Changes only the given settings, atomically, so that concurrent changes to other settings are preserved.
   *
   * @param expectedVersion the version that the settings must have; undefined: any
   * @returns the store with all its settings after the change
   * @throws ServiceError `conflict` if the settings have another version
   */
  changeSettings(
    storeId: string,
    settings: Partial<StoreSettings>,
    change: StoreChange,
    expectedVersion?: number,
  ): Promise<StoreRecord>;
  /** Replaces the logo. @param logo null removes the logo @returns the store with its settings after the change */
  setLogo(storeId: string, logo: ImageWithContent | null, change: StoreChange): Promise<StoreRecord>;
  /** Returns the image of a store's current logo. @throws ServiceError `not_found` for any other id */
  findLogo(logoId: string): Promise<Uint8Array>;
  /**
   * Creates or replaces all of these products, or none of them. Assigned edition numbers do not change.
   *
   * @throws ServiceError `bad_request` when another product of the store has one of the SKUs, or an edition would
   * become smaller than the number of certificates already issued from it
   */
  putProducts(storeId: string, products: readonly ProductInput[], change: StoreChange): Promise<void>;
}
