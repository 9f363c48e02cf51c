import { Binary, type ClientSession, type Filter } from "mongodb";
import { badRequest, ServiceError } from "#shared/errors/service-error.ts";
import type { ImageWithContent } from "#shared/images/image.ts";
import { reason } from "#shared/reasons/reason.ts";
import type { Clock } from "#shared/time/clock.ts";
import { editionKey } from "../../storefront/reconcile-order.ts";
import type { NewStore, StoreDirectory, StoreRecord, StoreSelector } from "../../stores/store-directory.ts";
import type { StoreChange } from "../../stores/store-history.ts";
import type { ProductInput } from "../../values/catalogue-product.ts";
import { newEpoch } from "../../values/identifiers.ts";
import { notFound } from "../../values/not-found.ts";
import type { Plan, StoreSettings } from "../../values/store.ts";
import type { Collections } from "../documents/collections.ts";
import { storeOf } from "../documents/convert-documents.ts";
import type { StoreDocument } from "../documents/documents.ts";
import { bulkDuplicates } from "../driver/bulk-duplicates.ts";
import { databaseCall } from "../driver/database-error.ts";
import { RetryTransaction } from "../driver/run-transaction.ts";
import { limited } from "../driver/time-limits.ts";
import { isDuplicateKey } from "../driver/transient-error.ts";
import { touchUpdate } from "../due-work/due-orders.ts";
import type { MongoStoreHistory } from "./mongo-store-history.ts";

const duplicatePauseMs = 20;
const projection = { plan: 1 } as const;

/**
 * Implements StoreDirectory with MongoDB: settings in `stores` with a copy in `access`, plans in `access`, logos in
 * `logos`, catalogues in `products`.
 */
export class MongoStoreDirectory implements StoreDirectory {
  readonly #collections: Collections;
  readonly #history: MongoStoreHistory;
  readonly #clock: Clock;

  constructor(collections: Collections, history: MongoStoreHistory, clock: Clock) {
    this.#collections = collections;
    this.#history = history;
    this.#clock = clock;
  }

  createStore(store: NewStore, change: StoreChange): Promise<StoreRecord> {
    return this.#history.record(store.id, change, async (session) => {
      // Committing this read ensures that a majority of the replica set has the store: a plain majority read may miss
      // a store that the unique index already contains.
      const existing = await this.#read({ shop: store.shop }, session);
      if (existing === undefined) await this.#insert(store, session);
      return {
        hasChanged: existing === undefined,
        value: existing ?? { ...store, hasWebhook: false, settingsVersion: 0 },
      };
    });
  }

  async #insert({ id, shop, plan, settings }: NewStore, session: ClientSession): Promise<void> {
    const { stores, access } = this.#collections;
    const start = new Date(0);
    const createdAt = new Date(this.#clock.now());
    const clocks = { clock: start, clockReadAt: start, lastSerial: 0, createdAt };
    try {
      await stores.insertOne({ _id: id, shop, settings, webhook: null, ...clocks }, { session });
    } catch (error) {
      // Another request is creating a store for the same shop; the next attempt reads that store.
      if (isDuplicateKey(error)) throw new RetryTransaction(duplicatePauseMs);
      throw error;
    }
    const document = { _id: id, plan, settings, epoch: newEpoch(), keys: [], admitted: [], decision: null };
    await access.insertOne(document, { session });
  }

  async findStore(selector: StoreSelector): Promise<StoreRecord> {
    const filter = "shop" in selector ? { shop: selector.shop } : { _id: selector.storeId };
    const found = await databaseCall(() => this.#read(filter));
    if (found === undefined) throw notFound("store");
    return found;
  }

  async #read(filter: Filter<StoreDocument>, session?: ClientSession): Promise<StoreRecord | undefined> {
    const { stores, access } = this.#collections;
    const options = session === undefined ? limited : { session };
    const document = await stores.findOne(filter, options);
    const granted = document && (await access.findOne({ _id: document._id }, options));
    return document && granted ? recordOf(document, granted.plan) : undefined;
  }

  listStores(afterShop: string, countMax: number): Promise<StoreRecord[]> {
    const { stores, access } = this.#collections;
    return databaseCall(async () => {
      const documents = await stores
        .find({ shop: { $gt: afterShop } }, limited)
        .sort({ shop: 1 })
        .limit(countMax)
        .toArray();
      const granted = await access.find({ _id: { $in: documents.map(({ _id }) => _id) } }, limited).toArray();
      const plans = new Map(granted.map(({ _id, plan }) => [_id, plan]));
      return documents.map((document) => recordOf(document, plans.get(document._id) ?? "basic"));
    });
  }

  setPlan(storeId: string, plan: Plan, change: StoreChange): Promise<void> {
    return this.#history.record(storeId, change, async (session) => {
      const update = { $set: { plan } };
      const { matchedCount } = await this.#collections.access.updateOne({ _id: storeId }, update, { session });
      if (matchedCount === 0) throw notFound("store");
      return { hasChanged: true, value: undefined };
    });
  }

  async changeSettings(
    storeId: string,
    settings: Partial<StoreSettings>,
    change: StoreChange,
    expectedVersion?: number,
  ): Promise<StoreRecord> {
    if (Object.keys(settings).length === 0) return this.findStore({ storeId });
    return this.#changeSettings(storeId, settings, change, { expectedVersion });
  }

  setLogo(storeId: string, logo: ImageWithContent | null, change: StoreChange): Promise<StoreRecord> {
    const { logos } = this.#collections;
    const settings = { logo: logo === null ? null : { id: logo.id, width: logo.width, height: logo.height } };
    const replaceImage = async (session: ClientSession) => {
      await logos.deleteMany({ store: storeId }, { session });
      if (logo === null) return;
      await logos.insertOne({ _id: logo.id, store: storeId, content: new Binary(logo.content) }, { session });
    };
    return this.#changeSettings(storeId, settings, change, { also: replaceImage });
  }

  findLogo(logoId: string): Promise<Uint8Array> {
    return databaseCall(async () => {
      const found = await this.#collections.logos.findOne({ _id: logoId }, limited);
      if (found === null) throw notFound("logo");
      return found.content.value();
    });
  }

  #changeSettings(
    storeId: string,
    settings: Partial<StoreSettings>,
    change: StoreChange,
    { expectedVersion, also }: SettingsChangeOptions,
  ): Promise<StoreRecord> {
    const { stores, access } = this.#collections;
    const fields = Object.entries(settings).map(([name, value]) => [`settings.${name}`, value] as const);
    const set = { $set: Object.fromEntries(fields) };
    let isCopyContended = false;
    return this.#history.record(storeId, change, async (session) => {
      // The first write of a transaction is the least likely to conflict. Certificate changes conflict with the write
      // to `stores`, admissions with the write to `access`. The write to `stores` comes first, because certificate
      // changes are usually more frequent and admissions should not wait for them; but once a write to `access` has
      // failed, the next attempts write to `access` first.
      const changeCopy = () => access.findOneAndUpdate({ _id: storeId }, set, { projection, session });
      const changed = isCopyContended ? await changeCopy() : null;
      const counted = { ...set, $inc: { settingsVersion: 1 } };
      const document = await stores.findOneAndUpdate({ _id: storeId }, counted, { returnDocument: "after", session });
      if (document === null) throw notFound("store");
      const { settingsVersion = 0 } = document;
      if (expectedVersion !== undefined && settingsVersion !== expectedVersion + 1)
        throw new ServiceError("conflict", reason("settings_changed_meanwhile"));
      const noteContention = (error: unknown) => {
        isCopyContended = true;
        throw error;
      };
      const granted = changed ?? (await changeCopy().catch(noteContention));
      if (granted === null) throw notFound("store");
      await also?.(session);
      return { hasChanged: true, value: recordOf(document, granted.plan) };
    });
  }

  async putProducts(storeId: string, products: readonly ProductInput[], change: StoreChange): Promise<void> {
    await this.findStore({ storeId });
    const operations = products.map(({ id, title, variants, editionTotal }) => ({
      updateOne: {
        filter: { _id: { store: storeId, product: id } },
        update: { $set: { title, variants, editionTotal }, $setOnInsert: { editionIssued: 0 } },
        upsert: true,
      },
    }));
    await this.#history.record(storeId, change, async (session) => {
      const skus = await this.#skusResizedBy(storeId, products, session);
      const written = this.#collections.products.bulkWrite(operations, { session });
      const [failedIndex] = (await bulkDuplicates(written)).indexes;
      if (failedIndex !== undefined) throw await this.#skuConflict(storeId, products, failedIndex);
      if (skus.length > 0) await this.#touchWaiting(storeId, skus, session);
      return { hasChanged: true, value: undefined };
    });
  }

  /** Returns the error for the product that could not be written, because another product has one of its SKUs. */
  async #skuConflict(storeId: string, products: readonly ProductInput[], failedIndex: number): Promise<Error> {
    const { id, variants } = products[failedIndex] ?? { id: "", variants: [] };
    const filter = { "_id.store": storeId, "variants.sku": { $in: variants.map(({ sku }) => sku) } };
    const stored = await this.#collections.products.find(filter, limited).toArray();
    const written = products.slice(0, failedIndex);
    const others = stored.map(({ _id, variants: ofStored }) => ({ id: _id.product, variants: ofStored }));
    const conflictWith = (holders: readonly Pick<ProductInput, "id" | "variants">[]): Error | undefined => {
      for (const [index, { sku }] of variants.entries()) {
        const other = holders.find((one) => one.id !== id && one.variants.some((variant) => variant.sku === sku));
        if (other === undefined) continue;
        const why = reason("sku_of_other_product", { sku, product: id, other: other.id });
        return badRequest(`products[${failedIndex}].variants[${index}].sku`, why);
      }
      return undefined;
    };
    const isUnwritten = (one: { readonly id: string }) => written.every((product) => product.id !== one.id);
    return (
      conflictWith([...written, ...others.filter(isUnwritten)]) ??
      // A stand-in for MongoDB does not see that an earlier product of the transaction has given up a SKU.
      conflictWith(others) ??
      // The other product has changed since.
      new RetryTransaction(duplicatePauseMs)
    );
  }

  /** Makes the orders due that wait for an edition: a unit that was sold out may get a certificate now. */
  async #touchWaiting(storeId: string, skus: readonly string[], session: ClientSession): Promise<void> {
    const { storefronts } = this.#collections;
    const projection = { touchWaiting: 1 } as const;
    const found = await storefronts.findOne({ _id: storeId }, { session, projection });
    const update = touchUpdate(found, skus.map(editionKey), new Date(this.#clock.now()));
    await storefronts.updateOne({ _id: storeId }, update, { session });
  }

  /**
   * Returns the SKUs of which the input changes the edition: its size, or whether the SKU belongs to it.
   *
   * @throws ServiceError `bad_request` if an edition would be smaller than the number of its certificates
   */
  async #skusResizedBy(storeId: string, products: readonly ProductInput[], session: ClientSession): Promise<string[]> {
    const ids = products.map(({ id }) => ({ store: storeId, product: id }));
    const current = await this.#collections.products.find({ _id: { $in: ids } }, { session }).toArray();
    const known = new Map(current.map((product) => [product._id.product, product]));
    products.forEach(({ id, editionTotal }, index) => {
      const count = known.get(id)?.editionIssued ?? 0;
      if (editionTotal !== null && editionTotal < count)
        throw badRequest(
          `products[${index}].edition_total`,
          `is less than the number of certificates already issued (${count})`,
        );
    });
    return products.flatMap((product) => {
      const before = editionsOf(known.get(product.id));
      const after = editionsOf(product);
      return [...new Set([...before.keys(), ...after.keys()])].filter((sku) => before.get(sku) !== after.get(sku));
    });
  }
}

/** Returns the edition size of each of a product's SKUs; none if the product has no edition. */
function editionsOf(product: Pick<ProductInput, "variants" | "editionTotal"> | undefined): ReadonlyMap<string, number> {
  const { variants = [], editionTotal = null } = product ?? {};
  return new Map(editionTotal === null ? [] : variants.map(({ sku }) => [sku, editionTotal]));
}

interface SettingsChangeOptions {
  /** See {@link StoreDirectory.changeSettings}. */
  readonly expectedVersion?: number | undefined;
  /** Makes further writes in the same transaction. */
  readonly also?: (session: ClientSession) => Promise<void>;
}

function recordOf(document: StoreDocument, plan: Plan): StoreRecord {
  return { ...storeOf(document), plan, settingsVersion: document.settingsVersion ?? 0 };
}
