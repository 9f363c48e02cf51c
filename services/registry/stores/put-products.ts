import { badRequest } from "#shared/errors/service-error.ts";
import { textProblem } from "../certificates/issue-item.ts";
import type { CatalogueProduct } from "./catalogue.ts";
import type { StoreDirectory } from "./store-directory.ts";

/**
 * Creates or replaces products of a store's catalogue.
 *
 * @throws ServiceError `bad_request` naming the field, as `products[3].title`
 */
export async function putProducts(
  stores: StoreDirectory,
  storeId: string,
  products: readonly Omit<CatalogueProduct, "editionIssued">[],
): Promise<void> {
  products.forEach(checkProduct);
  await stores.putProducts(storeId, products);
}

function checkProduct(product: Omit<CatalogueProduct, "editionIssued">, index: number): void {
  const check = (field: string, value: string, lengthMin: number, lengthMax: number) => {
    const problem = textProblem({ value, lengthMin, lengthMax });
    if (problem !== undefined) throw badRequest(`products[${index}].${field}`, problem);
  };
  check("id", product.id, 1, 64);
  check("title", product.title, 1, 255);
  if (product.variants.length < 1 || product.variants.length > 250)
    throw badRequest(`products[${index}].variants`, "are not 1 to 250");
  product.variants.forEach((variant, position) => {
    check(`variants[${position}].sku`, variant.sku, 1, 255);
    check(`variants[${position}].title`, variant.title, 0, 255);
  });
}
