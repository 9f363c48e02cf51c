import type { CatalogueProduct } from "../values/catalogue-product.ts";

/**
 * How many numbers of each limited edition the previews of one file would assign, by product id. A file is previewed in
 * batches, and none of them writes anything: without this, each batch would find the same numbers unassigned.
 */
export type EditionsUsed = ReadonlyMap<string, number>;

/** Returns products by SKU as if the earlier previews had assigned their numbers. */
export function productsAfter(
  products: ReadonlyMap<string, CatalogueProduct>,
  used: EditionsUsed,
): ReadonlyMap<string, CatalogueProduct> {
  if (used.size === 0) return products;
  return new Map(
    [...products].map(([sku, product]) => {
      const editionIssued = product.editionIssued + (used.get(product.id) ?? 0);
      return [sku, { ...product, editionIssued }];
    }),
  );
}

/**
 * Returns the numbers used by the earlier previews and by one more.
 *
 * @param products those that the preview decided from, by SKU
 * @param editionsIssued the highest number of each edition of which the preview would assign a number, by product id
 */
export function editionsUsedAfter(
  used: EditionsUsed,
  products: ReadonlyMap<string, CatalogueProduct>,
  editionsIssued: ReadonlyMap<string, number>,
): EditionsUsed {
  const after = new Map(used);
  for (const { id, editionIssued } of products.values()) {
    const last = editionsIssued.get(id);
    if (last !== undefined) after.set(id, (used.get(id) ?? 0) + last - editionIssued);
  }
  return after;
}
