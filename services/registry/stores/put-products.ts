import { badRequest } from "#shared/errors/service-error.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import type { ProductInput } from "../values/catalogue-product.ts";
import { checkText } from "../values/text-rules.ts";
import type { StoreDirectory } from "./store-directory.ts";

/**
 * Creates or replaces products in a store's catalogue.
 *
 * @throws ServiceError `bad_request` naming the field, such as `products[3].title`; otherwise as {@link
 * StoreDirectory.putProducts}
 */
export async function putProducts(
  stores: StoreDirectory,
  storeId: string,
  products: readonly ProductInput[],
  actor: string,
): Promise<void> {
  products.forEach((product, index) => {
    checkProduct(product, `products[${index}]`);
  });
  const details = { count: String(products.length) };
  await stores.putProducts(storeId, products, { action: "products.put", actor, details });
}

function checkProduct({ id, title, variants }: ProductInput, path: string): void {
  checkText(`${path}.id`, id, { ...textLimits.productId, min: 1 });
  checkText(`${path}.title`, title, textLimits.productTitle);
  if (variants.length < 1 || variants.length > 250) throw badRequest(`${path}.variants`, "must have 1 to 250 entries");
  for (const [index, variant] of variants.entries()) {
    checkText(`${path}.variants[${index}].sku`, variant.sku, { ...textLimits.sku, min: 1 });
    checkText(`${path}.variants[${index}].title`, variant.title, textLimits.productVariant);
  }
}
