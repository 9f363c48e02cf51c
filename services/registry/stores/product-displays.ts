import type { ImageWithContent } from "#shared/images/image.ts";
import type { ProductDisplay } from "../values/product-display.ts";
import type { StoreChange } from "./store-history.ts";

/** Maximum number of a store's products with a display. */
export const productDisplaysMax = 1_000;

/** A change of a product's display; undefined fields do not change. */
export interface ProductDisplayChange {
  readonly productId: string;
  readonly title: string;
  readonly maker: string | undefined;
  /** Null removes the image. */
  readonly image: ImageWithContent | null | undefined;
}

/**
 * Storage of what verification pages show of products. Methods throw ServiceError `unavailable` when the database is
 * unavailable.
 */
export interface ProductDisplays {
  /**
   * Returns the products of a store's catalogue and those with a display, ordered by id.
   *
   * @param afterProductId the id after which the page starts; empty for the first page
   */
  list(storeId: string, afterProductId: string, countMax: number): Promise<ProductDisplay[]>;
  /** @throws ServiceError `not_found` for a product that {@link list} does not contain */
  find(storeId: string, productId: string): Promise<ProductDisplay>;
  /**
   * Changes a display, and writes the entry to the store's history. A display without maker and image is removed.
   *
   * @throws ServiceError `failed_precondition` if the store would have more than {@link productDisplaysMax} displays
   */
  set(storeId: string, display: ProductDisplayChange, change: StoreChange): Promise<ProductDisplay>;
  /** Returns the content of an image of any store. @throws ServiceError `not_found` */
  findImage(imageId: string): Promise<Uint8Array>;
}
