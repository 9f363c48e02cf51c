import type { CatalogueProduct } from "../stores/catalogue.ts";
import type { ProductDocument } from "./documents.ts";

/** The product in a document. */
export function productOf(document: ProductDocument): CatalogueProduct {
  const { _id, ...fields } = document;
  return { id: _id.product, ...fields };
}
