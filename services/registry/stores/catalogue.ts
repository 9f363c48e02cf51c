/** A product of a store's catalogue. */
export interface CatalogueProduct {
  /** Product id on the storefront platform. */
  readonly id: string;
  readonly title: string;
  readonly variants: readonly CatalogueVariant[];
  /** How many numbered certificates there will be; null: no edition. */
  readonly editionTotal: number | null;
  /** How many numbers are given away. */
  readonly editionIssued: number;
}

/** A variant of a product. */
export interface CatalogueVariant {
  /** Unique in the store. */
  readonly sku: string;
  readonly title: string;
}
