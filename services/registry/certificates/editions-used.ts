import type { CatalogueProduct } from "../values/catalogue-product.ts";

/**
 * How many numbers of each limited edition the previews of one file have used so far, by product id. A file is
 * previewed in batches that write nothing, so without these counts each batch would find the same numbers unassigned.
 */
export type EditionsUsed = ReadonlyMap<string, number>;

/** Returns the products, by SKU, as if the numbers counted in `used` had been assigned. */
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
 * Adds the numbers that one more preview has used.
 *
 * @param products the result of {@link productsAfter} on which the preview is based
 * @param editionsIssued the highest number of each edition that the preview has used, by product id
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
