import type { ClientSession } from "mongodb";
import { ServiceError } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";
import type { Clock } from "#shared/time/clock.ts";
import { compareRanks } from "../../storefront/order-record.ts";
import { roomPerStore, type StoreBound } from "../../storefront/room-per-store.ts";
import { affectsRules } from "../../storefront/rules.ts";
import type { RankedProduct, StorefrontProducts } from "../../storefront/storefront-storage.ts";
import type { Collections } from "../documents/collections.ts";
import { compoundKey, idIn, keysOf } from "../documents/compound-key.ts";
import type { StorefrontProductDocument } from "../documents/storefront-documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import { limited } from "../driver/time-limits.ts";
import { conflictUpdate, touchUpdate } from "../due-work/due-orders.ts";
import type { MongoStoreHistory } from "../stores/mongo-store-history.ts";

/** Maximum number of a store's products whose tags are stored. */
export const storefrontProductsMax = 100_000;

/** Implements StorefrontProducts with MongoDB. */
export class MongoStorefrontProducts implements StorefrontProducts {
  readonly #products: Collections["storefrontProducts"];
  readonly #storefronts: Collections["storefronts"];
  readonly #history: Pick<MongoStoreHistory, "transact">;
  readonly #clock: Clock;
  readonly #hasRoom: (storeId: string) => Promise<boolean>;
  readonly #countMax: number;

  /**
   * @param clock the database's clock
   * @param bound the bound on a store's products; default: {@link storefrontProductsMax}
   */
  constructor(
    { storefrontProducts, storefronts }: Pick<Collections, "storefrontProducts" | "storefronts">,
    history: Pick<MongoStoreHistory, "transact">,
    clock: Clock,
    bound: StoreBound = { countMax: storefrontProductsMax },
  ) {
    this.#products = storefrontProducts;
    this.#storefronts = storefronts;
    this.#history = history;
    this.#clock = clock;
    this.#countMax = bound.countMax;
    this.#hasRoom = roomPerStore((storeId, limit) => {
      return storefrontProducts.countDocuments(keysOf(storeId), { ...limited, limit });
    }, bound);
  }

  put(storeId: string, products: readonly RankedProduct[]): Promise<void> {
    const newest = newestOf(products);
    const ids = newest.map(({ product }) => compoundKey(storeId, product.id));
    // The transaction may run several times.
    const withRoom = new Set<string>();
    return this.#history.transact(async (session) => {
      const known = await this.#products.find({ _id: { $in: ids } }, { session }).toArray();
      const storedOf = new Map(known.map((stored) => [idIn(stored._id), stored]));
      const newer = newest.filter(({ product: { id }, rank }) => {
        const stored = storedOf.get(id);
        return stored === undefined || compareRanks(rank, rankOf(stored)) > 0;
      });
      // Committed, because only a committed read cannot be rolled back: the caller settles the messages.
      if (newer.length === 0) return { commit: true, value: undefined };
      for (const { product } of newer)
        if (!storedOf.has(product.id) && !withRoom.has(product.id)) {
          await this.#checkRoom(storeId);
          withRoom.add(product.id);
        }
      const changes = newer
        .map(({ product: { id, tags: after } }) => ({ id, before: storedOf.get(id)?.tags, after }))
        .filter(({ before, after }) => !isSame(before, after));
      if (changes.length > 0) await this.#touchWaiting(storeId, changes, session);
      await this.#products.bulkWrite(
        newer.map((one) => storeOperation(storeId, one)),
        { session },
      );
      return { commit: true, value: undefined };
    });
  }

  /** Makes the orders due that wait for tags that the store's rules consider. */
  async #touchWaiting(storeId: string, changes: readonly TagChange[], session: ClientSession): Promise<void> {
    const found = await this.#storefronts.findOne({ _id: storeId }, { session });
    const rules = found?.rules ?? [];
    const waitsFor = changes.filter((change) => affectsRules(rules, change)).map(({ id }) => id);
    const now = new Date(this.#clock.now());
    // Always writes, so that the transaction conflicts with a concurrent change of the rules.
    const update = waitsFor.length > 0 ? touchUpdate(found, waitsFor, now) : conflictUpdate;
    await this.#storefronts.updateOne({ _id: storeId }, update, { upsert: true, session });
  }

  // Products are kept permanently. A message about one too many fails, and its failure is reported to the operators.
  async #checkRoom(storeId: string): Promise<void> {
    if (!(await this.#hasRoom(storeId)))
      throw new ServiceError("failed_precondition", reason("too_many_products", { count: this.#countMax }));
  }

  tagsOf(storeId: string, productIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    if (productIds.length === 0) return Promise.resolve(new Map());
    const ids = productIds.map((id) => compoundKey(storeId, id));
    return databaseCall(async () => {
      const found = await this.#products.find({ _id: { $in: ids } }, limited).toArray();
      return new Map(found.map(({ _id, tags }) => [idIn(_id), tags]));
    });
  }
}

/** A change of a product's tags; `before` is undefined if they were unknown. */
interface TagChange {
  readonly id: string;
  readonly before: readonly string[] | undefined;
  readonly after: readonly string[];
}

/** Returns the highest-ranking state of each product. */
function newestOf(products: readonly RankedProduct[]): readonly RankedProduct[] {
  const newest = new Map<string, RankedProduct>();
  for (const one of products) {
    const other = newest.get(one.product.id);
    if (other === undefined || compareRanks(one.rank, other.rank) > 0) newest.set(one.product.id, one);
  }
  return [...newest.values()];
}

function storeOperation(storeId: string, { product, rank }: RankedProduct) {
  const { updatedAtMs, triggeredAtMs, messageId } = rank;
  const fields = {
    tags: [...product.tags],
    imageUrl: product.imageUrl,
    updatedAt: new Date(updatedAtMs),
    triggeredAt: new Date(triggeredAtMs),
    messageId,
  };
  return { updateOne: { filter: { _id: compoundKey(storeId, product.id) }, update: { $set: fields }, upsert: true } };
}

function rankOf({ updatedAt, triggeredAt, messageId }: StorefrontProductDocument) {
  return { updatedAtMs: updatedAt.getTime(), triggeredAtMs: triggeredAt.getTime(), messageId };
}

function isSame(before: readonly string[] | undefined, after: readonly string[]): boolean {
  return before !== undefined && before.length === after.length && before.every((tag) => after.includes(tag));
}
