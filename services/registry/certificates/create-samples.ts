import { ServiceError } from "#shared/errors/service-error.ts";
import type { ProductSnapshot } from "./certificate.ts";
import { newId } from "./identifiers.ts";
import { findProductProblem } from "./issue-item.ts";

/**
 * A certificate that only shows what a real one will look like. Samples are kept apart from certificates, so that no
 * list or webhook can ever show one (INTERFACE.md §1).
 */
export interface Sample {
  readonly id: string;
  readonly storeId: string;
  readonly product: ProductSnapshot;
}

/** Where samples are kept. */
export interface SampleStore {
  /** @throws ServiceError `not_found` for an unknown store */
  insertSamples(storeId: string, samples: readonly Sample[]): Promise<void>;
}

/**
 * Creates a sample for each product.
 *
 * @returns their ids, in the order of the products
 * @throws ServiceError `bad_request` naming the field, as `products[3].title`
 */
export async function createSamples(
  samples: SampleStore,
  storeId: string,
  products: readonly ProductSnapshot[],
): Promise<string[]> {
  products.forEach(checkProduct);
  const created = products.map((product): Sample => ({ id: newId("smp"), storeId, product }));
  await samples.insertSamples(storeId, created);
  return created.map(({ id }) => id);
}

function checkProduct(product: ProductSnapshot, index: number): void {
  const problem = findProductProblem(product, `products[${index}]`);
  if (problem !== undefined) throw new ServiceError("bad_request", problem.message, { field: problem.field });
}
