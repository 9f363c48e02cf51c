import type { Clock } from "#shared/time/clock.ts";
import type { ProductSnapshot } from "../storefront/message.ts";
import type { StorefrontProducts } from "../storefront/storefront-storage.ts";
import type { Collections } from "./collections.ts";
import { databaseCall } from "./database-error.ts";
import { wakeStorefront } from "./mongo-work-queue.ts";
import { platformIdOf, storefrontKey } from "./storefront-keys.ts";
import { operationTimeLimitMs } from "./time-limits.ts";
import { isDuplicateKey } from "./transient-error.ts";

const options = { maxTimeMS: operationTimeLimitMs };

/** Implements StorefrontProducts with MongoDB. */
export class MongoStorefrontProducts implements StorefrontProducts {
  readonly #collections: Pick<Collections, "storefrontProducts" | "storefrontOrders" | "storefronts">;
  readonly #clock: Clock;

  constructor(collections: Pick<Collections, "storefrontProducts" | "storefrontOrders" | "storefronts">, clock: Clock) {
    this.#collections = collections;
    this.#clock = clock;
  }

  put(storeId: string, products: readonly ProductSnapshot[]): Promise<void> {
    const { storefrontOrders, storefronts } = this.#collections;
    const now = new Date(this.#clock.now());
    return databaseCall(async () => {
      for (const product of products) await this.#putOne(storeId, product);
      const unmatchedProducts = { $in: products.map(({ id }) => id) };
      const { matchedCount } = await storefrontOrders.updateMany(
        { store: storeId, unmatchedProducts },
        { $set: { dueAt: now, attempts: 0 }, $unset: { failure: 1 }, $inc: { version: 1 } },
        options,
      );
      if (matchedCount > 0) await wakeStorefront(storefronts, storeId, now);
    });
  }

  async #putOne(storeId: string, { id, tags, updatedAtMs }: ProductSnapshot): Promise<void> {
    const updatedAt = new Date(updatedAtMs);
    const filter = { _id: storefrontKey(storeId, id), updatedAt: { $lt: updatedAt } };
    try {
      const set = { $set: { tags: [...tags], updatedAt } };
      await this.#collections.storefrontProducts.updateOne(filter, set, { ...options, upsert: true });
    } catch (error) {
      // The filter did not match, because the stored state is at least as new.
      if (!isDuplicateKey(error)) throw error;
    }
  }

  tagsOf(storeId: string, productIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    if (productIds.length === 0) return Promise.resolve(new Map());
    const ids = productIds.map((id) => storefrontKey(storeId, id));
    return databaseCall(async () => {
      const found = await this.#collections.storefrontProducts.find({ _id: { $in: ids } }, options).toArray();
      return new Map(found.map(({ _id, tags }) => [platformIdOf(_id), tags]));
    });
  }
}
