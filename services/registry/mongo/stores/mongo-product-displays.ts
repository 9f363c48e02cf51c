import { Binary, type ClientSession } from "mongodb";
import { ServiceError } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";
import { type ProductDisplayChange, type ProductDisplays, productDisplaysMax } from "../../stores/product-displays.ts";
import type { StoreChange } from "../../stores/store-history.ts";
import { notFound } from "../../values/not-found.ts";
import type { ProductDisplay } from "../../values/product-display.ts";
import type { Collections } from "../documents/collections.ts";
import { compoundKey } from "../documents/compound-key.ts";
import type { ProductDisplayDocument } from "../documents/documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import { limited } from "../driver/time-limits.ts";
import type { ChangeResult, MongoStoreHistory } from "./mongo-store-history.ts";

const withoutContent = { "image.content": 0 } as const;

/** A display as it is read for lists and pages. */
export type ProductDisplayFacts = Omit<ProductDisplayDocument, "image"> & {
  readonly image: Omit<NonNullable<ProductDisplayDocument["image"]>, "content"> | null;
};

type DisplayCollections = Pick<Collections, "imageRequests" | "productDisplays" | "products">;

/** Implements ProductDisplays with MongoDB: displays with their images in `productDisplays`. */
export class MongoProductDisplays implements ProductDisplays {
  readonly #collections: DisplayCollections;
  readonly #history: Pick<MongoStoreHistory, "record">;

  constructor(collections: DisplayCollections, history: Pick<MongoStoreHistory, "record">) {
    this.#collections = collections;
    this.#history = history;
  }

  list(storeId: string, afterProductId: string, countMax: number): Promise<ProductDisplay[]> {
    const page = { "_id.store": storeId, "_id.product": { $gt: afterProductId } };
    return databaseCall(() => this.#find(page, countMax));
  }

  async find(storeId: string, productId: string): Promise<ProductDisplay> {
    const [found] = await databaseCall(() => this.#find({ "_id.store": storeId, "_id.product": productId }, 1));
    if (found === undefined) throw notFound("product");
    return found;
  }

  set(storeId: string, display: ProductDisplayChange, change: StoreChange): Promise<ProductDisplay> {
    return this.#history.record(storeId, change, async (session) => {
      const result = await this.write(session, storeId, display);
      // The merchant has decided since the request, so its image must not replace theirs.
      if (display.image !== undefined)
        await this.#collections.imageRequests.deleteOne({ _id: compoundKey(storeId, display.productId) }, { session });
      return result;
    });
  }

  /** Changes a display in a transaction. @throws ServiceError as {@link set} */
  async write(
    session: ClientSession,
    storeId: string,
    { productId, title, maker, image }: ProductDisplayChange,
  ): Promise<ChangeResult<ProductDisplay>> {
    const { productDisplays } = this.#collections;
    const _id = { store: storeId, product: productId };
    const current = await productDisplays.findOne({ _id }, { session });
    const next = {
      title,
      maker: maker ?? current?.maker ?? "",
      image:
        image === undefined
          ? (current?.image ?? null)
          : image && { id: image.id, width: image.width, height: image.height, content: new Binary(image.content) },
    };
    const value = displayOf({ _id, ...next });
    if (next.maker === "" && next.image === null) {
      if (current === null) return { hasChanged: false, value };
      await productDisplays.deleteOne({ _id }, { session });
    } else {
      if (current === null) await this.#checkRoom(storeId, session);
      await productDisplays.replaceOne({ _id }, next, { upsert: true, session });
    }
    return { hasChanged: true, value };
  }

  findImage(imageId: string): Promise<Uint8Array> {
    return databaseCall(async () => {
      const found = await this.#collections.productDisplays.findOne({ "image.id": imageId }, limited);
      if (!found?.image) throw notFound("image");
      return found.image.content.value();
    });
  }

  async #find(filter: object, countMax: number): Promise<ProductDisplay[]> {
    const sort = { "_id.store": 1, "_id.product": 1 } as const;
    const [catalogue, displays] = await Promise.all([
      this.#collections.products
        .find(filter, { ...limited, projection: { title: 1 } })
        .sort(sort)
        .limit(countMax)
        .toArray(),
      this.#collections.productDisplays
        .find<ProductDisplayFacts>(filter, { ...limited, projection: withoutContent })
        .sort(sort)
        .limit(countMax)
        .toArray(),
    ]);
    const found = new Map(displays.map((display) => [display._id.product, displayOf(display)]));
    for (const { _id, title } of catalogue) {
      const { maker = "", image = null } = found.get(_id.product) ?? {};
      found.set(_id.product, { productId: _id.product, title, maker, image });
    }
    const ordered = [...found.values()].sort((one, other) => (one.productId < other.productId ? -1 : 1));
    return ordered.slice(0, countMax);
  }

  /** Transactions that run at the same time do not see each other's displays, so each can exceed the bound by one. */
  async #checkRoom(storeId: string, session: ClientSession): Promise<void> {
    const ofStore = { "_id.store": storeId };
    const count = await this.#collections.productDisplays.countDocuments(ofStore, {
      session,
      limit: productDisplaysMax,
    });
    if (count >= productDisplaysMax)
      throw new ServiceError("failed_precondition", reason("too_many_product_displays", { count: productDisplaysMax }));
  }
}

function displayOf({ _id, title, maker, image }: ProductDisplayFacts): ProductDisplay {
  const shown = image && { id: image.id, width: image.width, height: image.height };
  return { productId: _id.product, title, maker, image: shown };
}
