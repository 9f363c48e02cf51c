import { ServiceError } from "#shared/errors/service-error.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { Sample, SampleStore } from "../certificates/create-samples.ts";
import type { Collections } from "./collections.ts";
import { databaseError } from "./database-error.ts";

/** Samples in a collection of their own. */
export class MongoSamples implements SampleStore {
  readonly #collections: Pick<Collections, "stores" | "samples">;
  readonly #clock: Clock;

  constructor(collections: Pick<Collections, "stores" | "samples">, clock: Clock) {
    this.#collections = collections;
    this.#clock = clock;
  }

  async insertSamples(storeId: string, samples: readonly Sample[]): Promise<void> {
    const createdAt = new Date(this.#clock.now());
    try {
      const store = await this.#collections.stores.findOne({ _id: storeId }, { projection: { _id: 1 } });
      if (store === null) throw new ServiceError("not_found", "There is no such store.");
      await this.#collections.samples.insertMany(
        samples.map(({ id, product }) => ({ _id: id, store: storeId, product, createdAt })),
      );
    } catch (error) {
      throw databaseError(error);
    }
  }
}
