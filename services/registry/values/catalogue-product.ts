/** A product in a store's catalogue. */
export interface CatalogueProduct {
  /** Product id on the storefront platform. */
  readonly id: string;
  readonly title: string;
  readonly variants: readonly CatalogueVariant[];
  /** Size of the edition; null if the product has no edition. */
  readonly editionTotal: number | null;
  /** Number of edition numbers assigned so far. */
  readonly editionIssued: number;
}

/** A catalogue product as the caller supplies it; the registry itself counts `editionIssued`. */
export type ProductInput = Omit<CatalogueProduct, "editionIssued">;

/** A variant of a product. */
interface CatalogueVariant {
  /** No other product of the store has this SKU. */
  readonly sku: string;
  readonly title: string;
}
