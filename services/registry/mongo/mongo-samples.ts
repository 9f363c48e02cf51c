import type { Clock } from "#shared/time/clock.ts";
import type { Sample, SampleStore } from "../certificates/create-samples.ts";
import { storeNotFound } from "../values/not-found.ts";
import type { Collections } from "./collections.ts";
import { databaseCall } from "./database-error.ts";

/** Implements SampleStore on the `samples` collection. */
export class MongoSamples implements SampleStore {
  readonly #collections: Pick<Collections, "stores" | "samples">;
  readonly #clock: Clock;

  constructor(collections: Pick<Collections, "stores" | "samples">, clock: Clock) {
    this.#collections = collections;
    this.#clock = clock;
  }

  insertSamples(storeId: string, samples: readonly Sample[]): Promise<void> {
    const createdAt = new Date(this.#clock.now());
    return databaseCall(async () => {
      const store = await this.#collections.stores.findOne({ _id: storeId }, { projection: { _id: 1 } });
      if (store === null) throw storeNotFound();
      await this.#collections.samples.insertMany(
        samples.map(({ id, product }) => ({ _id: id, store: storeId, product, createdAt })),
      );
    });
  }
}
