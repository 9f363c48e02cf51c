import { ServiceError } from "#shared/errors/service-error.ts";
import { compareRanks } from "../../storefront/order-record.ts";
import { roomPerStore, type StoreBound } from "../../storefront/room-per-store.ts";
import type { RankedProduct, StorefrontProducts, TagChange } from "../../storefront/storefront-storage.ts";
import type { Collections } from "../documents/collections.ts";
import type { StorefrontProductDocument } from "../documents/storefront-documents.ts";
import { platformIdOf, storefrontKey } from "../documents/storefront-keys.ts";
import { databaseCall } from "../driver/database-error.ts";
import { operationTimeLimitMs } from "../driver/time-limits.ts";
import { isDuplicateKey } from "../driver/transient-error.ts";

const options = { maxTimeMS: operationTimeLimitMs };

/** Maximum number of a store's products whose tags are stored. */
export const storefrontProductsMax = 100_000;

/** Implements StorefrontProducts with MongoDB. */
export class MongoStorefrontProducts implements StorefrontProducts {
  readonly #products: Collections["storefrontProducts"];
  readonly #hasRoom: (storeId: string) => Promise<boolean>;
  readonly #countMax: number;

  /** @param bound the bound on a store's products; default: {@link storefrontProductsMax} */
  constructor(
    { storefrontProducts }: Pick<Collections, "storefrontProducts">,
    bound: StoreBound = { countMax: storefrontProductsMax },
  ) {
    this.#products = storefrontProducts;
    this.#countMax = bound.countMax;
    this.#hasRoom = roomPerStore((storeId, limit) => {
      const ofStore = { _id: { $gte: storefrontKey(storeId, ""), $lt: storefrontKey(storeId, ":") } };
      return storefrontProducts.countDocuments(ofStore, { ...options, limit });
    }, bound);
  }

  put(storeId: string, products: readonly RankedProduct[]): Promise<readonly TagChange[]> {
    return databaseCall(async () => {
      const changes: TagChange[] = [];
      for (const one of products) {
        const before = await this.#putOne(storeId, one);
        const { id: productId, tags: after } = one.product;
        if (before !== "outdated" && !isSame(before, after)) changes.push({ productId, before, after });
      }
      return changes;
    });
  }

  /** @returns the tags before; undefined if they were unknown, or this state itself is stored already */
  async #putOne(
    storeId: string,
    { product, rank }: RankedProduct,
  ): Promise<readonly string[] | undefined | "outdated"> {
    const _id = storefrontKey(storeId, product.id);
    const { updatedAtMs, triggeredAtMs, messageId } = rank;
    const fields = {
      tags: [...product.tags],
      updatedAt: new Date(updatedAtMs),
      triggeredAt: new Date(triggeredAtMs),
      messageId,
    };
    for (;;) {
      const stored = await this.#products.findOne({ _id }, options);
      if (stored === null) {
        await this.#checkRoom(storeId);
        try {
          await this.#products.insertOne({ _id, ...fields });
          return undefined;
        } catch (error) {
          // Another replica has inserted a state of the product.
          if (!isDuplicateKey(error)) throw error;
          continue;
        }
      }
      const order = compareRanks(rank, rankOf(stored));
      if (order <= 0) return order === 0 ? undefined : "outdated";
      const { updatedAt, messageId: storedId } = stored;
      const unchanged = { _id, updatedAt, messageId: storedId };
      const { matchedCount } = await this.#products.updateOne(unchanged, { $set: fields }, options);
      if (matchedCount === 1) return stored.tags;
    }
  }

  // Products are kept permanently. A message about one too many fails, and its failure is reported to the operators.
  async #checkRoom(storeId: string): Promise<void> {
    if (!(await this.#hasRoom(storeId)))
      throw new ServiceError("failed_precondition", `The store has ${this.#countMax} products, the maximum.`);
  }

  tagsOf(storeId: string, productIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    if (productIds.length === 0) return Promise.resolve(new Map());
    const ids = productIds.map((id) => storefrontKey(storeId, id));
    return databaseCall(async () => {
      const found = await this.#products.find({ _id: { $in: ids } }, options).toArray();
      return new Map(found.map(({ _id, tags }) => [platformIdOf(_id), tags]));
    });
  }
}

function rankOf({ updatedAt, triggeredAt, messageId }: StorefrontProductDocument) {
  return { updatedAtMs: updatedAt.getTime(), triggeredAtMs: triggeredAt.getTime(), messageId };
}

function isSame(before: readonly string[] | undefined, after: readonly string[]): boolean {
  return before !== undefined && before.length === after.length && before.every((tag) => after.includes(tag));
}
