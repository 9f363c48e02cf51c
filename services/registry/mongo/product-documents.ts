import type { CatalogueProduct } from "../values/catalogue-product.ts";
import type { ProductDocument } from "./documents.ts";

/** Converts a document to its product. */
export function productOf(document: ProductDocument): CatalogueProduct {
  const { _id, ...fields } = document;
  return { id: _id.product, ...fields };
}
