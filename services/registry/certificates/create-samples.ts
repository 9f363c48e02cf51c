import { newId } from "../values/identifiers.ts";
import type { ProductSnapshot } from "./certificate.ts";
import { findProductProblem, requireValid } from "./issue-item.ts";

/**
 * A preview of a certificate. Samples are stored separately from certificates, so that no sample can appear in a list
 * or cause an event (INTERFACE.md §1). The sample in a test message is generated and never stored.
 */
export interface Sample {
  readonly id: string;
  readonly storeId: string;
  readonly product: ProductSnapshot;
}

/** A stored sample, with the time of its creation. */
export interface StoredSample extends Sample {
  readonly createdAt: Date;
}

/** Storage of samples. */
export interface SampleStore {
  /** @throws ServiceError `not_found` for an unknown store */
  insertSamples(storeId: string, samples: readonly Sample[]): Promise<void>;
  /** @throws ServiceError `not_found`, also for another store's sample */
  findSample(storeId: string, sampleId: string): Promise<StoredSample>;
}

/**
 * Creates a sample for each product.
 *
 * @returns the ids of the samples, in the order of the products
 * @throws ServiceError `bad_request` naming the field, such as `products[3].title`; `not_found` for an unknown store
 */
export async function createSamples(
  samples: SampleStore,
  storeId: string,
  products: readonly ProductSnapshot[],
): Promise<string[]> {
  products.forEach((product, index) => {
    requireValid(findProductProblem(product, `products[${index}]`));
  });
  const created = products.map((product): Sample => ({ id: newId("smp"), storeId, product }));
  await samples.insertSamples(storeId, created);
  return created.map(({ id }) => id);
}
