import type { Clock } from "#shared/time/clock.ts";
import type { Sample, SampleStore, StoredSample } from "../../certificates/create-samples.ts";
import { notFound } from "../../values/not-found.ts";
import type { Collections } from "../documents/collections.ts";
import { databaseCall } from "../driver/database-error.ts";
import { limited } from "../driver/time-limits.ts";

/** Implements SampleStore with MongoDB. */
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
      const store = await this.#collections.stores.findOne({ _id: storeId }, { ...limited, projection: { _id: 1 } });
      if (store === null) throw notFound("store");
      const documents = samples.map(({ id, product }) => ({ _id: id, store: storeId, product, createdAt }));
      await this.#collections.samples.insertMany(documents, limited);
    });
  }

  findSample(storeId: string, sampleId: string): Promise<StoredSample> {
    return databaseCall(async () => {
      const found = await this.#collections.samples.findOne({ _id: sampleId, store: storeId }, limited);
      if (found === null) throw notFound("sample");
      const { product, createdAt } = found;
      return { id: sampleId, storeId, product, createdAt };
    });
  }
}
