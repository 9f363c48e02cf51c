import type { Filter } from "mongodb";
import { emailKey } from "#shared/email/email-address.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { Certificate } from "../../certificates/certificate.ts";
import type { CustomerReference } from "../../storefront/message.ts";
import { emptyOrderRecord, type OrderRecord } from "../../storefront/order-record.ts";
import type {
  Attempt,
  DueOrder,
  OrderOutcome,
  StorefrontOrders,
  VersionedRecord,
} from "../../storefront/storefront-storage.ts";
import type { Collections } from "../documents/collections.ts";
import { compoundKey, idIn } from "../documents/compound-key.ts";
import { certificateOf } from "../documents/convert-documents.ts";
import type { CertificateDocument } from "../documents/documents.ts";
import type { StorefrontOrderDocument } from "../documents/storefront-documents.ts";
import { bulkDuplicates } from "../driver/bulk-duplicates.ts";
import { databaseCall } from "../driver/database-error.ts";
import { limited } from "../driver/time-limits.ts";
import {
  attemptsOf,
  beginAttempt,
  conflictUpdate,
  dueUpdate,
  noteSurvived,
  recordAttempt,
} from "../due-work/due-orders.ts";
import { dueFilter } from "../due-work/due-times.ts";

type OrderCollections = Pick<Collections, "storefrontOrders" | "storefronts" | "certificates">;
type TakenOrder = Pick<DueOrder, "orderId" | "version">;

/** Implements StorefrontOrders with MongoDB. */
export class MongoStorefrontOrders implements StorefrontOrders {
  readonly #collections: OrderCollections;
  readonly #clock: Clock;

  constructor(collections: OrderCollections, clock: Clock) {
    this.#collections = collections;
    this.#clock = clock;
  }

  read(storeId: string, orderIds: readonly string[]): Promise<ReadonlyMap<string, VersionedRecord>> {
    const ids = orderIds.map((id) => compoundKey(storeId, id));
    return databaseCall(async () => {
      const found = await this.#collections.storefrontOrders.find({ _id: { $in: ids } }, limited).toArray();
      const known = versionedOf(found);
      return new Map(orderIds.map((id) => [id, known.get(id) ?? { record: emptyOrderRecord, version: 0 }]));
    });
  }

  ofCustomer(
    storeId: string,
    { orderIds, customerId }: Pick<CustomerReference, "orderIds" | "customerId">,
  ): Promise<ReadonlyMap<string, VersionedRecord>> {
    const { storefrontOrders } = this.#collections;
    const ids = orderIds.map((id) => compoundKey(storeId, id));
    return databaseCall(async () => {
      const found = await storefrontOrders.find({ _id: { $in: ids } }, limited).toArray();
      if (customerId !== "")
        found.push(...(await storefrontOrders.find({ store: storeId, customer: customerId }, limited).toArray()));
      return versionedOf(found);
    });
  }

  write(storeId: string, records: ReadonlyMap<string, VersionedRecord>): Promise<ReadonlySet<string>> {
    const { storefrontOrders } = this.#collections;
    const now = new Date(this.#clock.now());
    const all = [...records].map(([orderId, one]) => ({ orderId, ...one, _id: compoundKey(storeId, orderId) }));
    const [added, changed] = [all.filter(({ version }) => version === 0), all.filter(({ version }) => version > 0)];
    if (all.length === 0) return Promise.resolve(new Set());
    const inserts = added.map(({ _id, record }) => ({
      insertOne: {
        document: {
          _id,
          ...fieldsOf(storeId, record, now),
          version: 1,
          dueAt: now,
          attempts: 0,
          notes: [],
          unmatchedProducts: [],
          uncompared: true as const,
        },
      },
    }));
    const updates = changed.map(({ _id, record, version }) => ({
      updateOne: {
        filter: { _id, version },
        update: dueUpdate(now, fieldsOf(storeId, record, now)),
      },
    }));
    const options = { ...limited, ordered: false };
    return databaseCall(async () => {
      const batch = storefrontOrders.bulkWrite([...inserts, ...updates], options);
      const { indexes, matchedCount } = await bulkDuplicates(batch);
      const failed = new Set(indexes.map((index) => added[index]?.orderId ?? ""));
      // The result does not say which updates found no document, so all count as failed: repeating an update that
      // succeeded changes nothing.
      if (matchedCount < changed.length) for (const { orderId } of changed) failed.add(orderId);
      return failed;
    });
  }

  takeDue(storeId: string, countMax: number): Promise<DueOrder[]> {
    const { storefrontOrders, storefronts } = this.#collections;
    const filter = dueFilter({ store: storeId }, this.#clock);
    return databaseCall(async () => {
      const found = await storefrontOrders.find(filter, limited).sort({ dueAt: 1 }).limit(countMax).toArray();
      // A change of certificates that began before an order was stored does not make it due. Either it conflicts with
      // this write, and begins again, or it ends before the certificates are read.
      if (found.some(({ uncompared }) => uncompared))
        await storefronts.updateOne({ _id: storeId }, conflictUpdate, limited);
      return found.map(({ _id, record, version, unmatchedProducts, ...counts }) => ({
        orderId: idIn(_id),
        record: recordOf(record),
        version,
        ...attemptsOf(counts),
        waitsFor: unmatchedProducts,
      }));
    });
  }

  async settle(
    storeId: string,
    done: readonly { readonly order: DueOrder; readonly outcome: OrderOutcome }[],
  ): Promise<void> {
    if (done.length === 0) return;
    const operations = done.map(({ order, outcome: { notes, waitsFor } }) => {
      const isKnown = waitsFor.every((one) => order.waitsFor.includes(one));
      return {
        updateOne: {
          filter: unchanged(storeId, order),
          update: {
            $set: { notes: [...notes], unmatchedProducts: [...waitsFor], attempts: 0 },
            $unset: { uncompared: 1 as const, ...(isKnown && { dueAt: 1 as const, failure: 1 as const }) },
          },
        },
      };
    });
    await databaseCall(() => this.#collections.storefrontOrders.bulkWrite(operations, { ...limited, ordered: false }));
  }

  begin(storeId: string, order: TakenOrder, workerId: string, dueAt: Date): Promise<boolean> {
    return beginAttempt(this.#collections.storefrontOrders, unchanged(storeId, order), workerId, dueAt);
  }

  noteSurvived(storeId: string, orderId: string): Promise<void> {
    return noteSurvived(this.#collections.storefrontOrders, { _id: compoundKey(storeId, orderId) });
  }

  record(storeId: string, order: TakenOrder, attempt: Attempt): Promise<boolean> {
    return recordAttempt(this.#collections.storefrontOrders, unchanged(storeId, order), attempt);
  }

  certificatesOf(storeId: string, orderIds: readonly string[], countMax?: number): Promise<Certificate[]> {
    return this.#findCertificates(ofOrders(storeId, orderIds), countMax);
  }

  certificatesOwnedBy(storeId: string, email: string, countMax: number): Promise<Certificate[]> {
    return this.#findCertificates({ store: storeId, ownerEmailKey: emailKey(email) }, countMax);
  }

  #findCertificates(filter: Filter<CertificateDocument>, countMax?: number): Promise<Certificate[]> {
    const options = countMax === undefined ? limited : { ...limited, limit: countMax };
    return databaseCall(() => this.#collections.certificates.find(filter, options).map(certificateOf).toArray());
  }

  buyersOf(storeId: string, orderIds: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    // In short batches, so that memory holds few of the certificates, and other work gets its turn in between.
    const options = { ...limited, projection: { "order.id": 1, "originalBuyer.email": 1 }, batchSize: 1_000 };
    return databaseCall(async () => {
      const buyers = new Map<string, Set<string>>();
      const found = this.#collections.certificates.find(ofOrders(storeId, orderIds), options);
      for await (const { order, originalBuyer } of found) {
        const id = order?.id ?? "";
        buyers.set(id, (buyers.get(id) ?? new Set<string>()).add(originalBuyer.email));
      }
      return buyers;
    });
  }
}

/** Selects the certificates of orders. */
function ofOrders(store: string, orderIds: readonly string[]): Filter<CertificateDocument> {
  return { store, "order.id": { $in: [...orderIds] } };
}

/** Selects an order unless it has changed since it was taken. */
function unchanged(storeId: string, { orderId, version }: TakenOrder) {
  return { _id: compoundKey(storeId, orderId), version };
}

function fieldsOf(store: string, record: OrderRecord, now: Date) {
  const { order } = record;
  return {
    store,
    name: order?.name ?? "",
    orderedAt: new Date(order?.createdAtMs ?? 0),
    customer: order?.buyer.customerId ?? "",
    record: JSON.stringify(record),
    changedAt: now,
  };
}

function versionedOf(found: readonly StorefrontOrderDocument[]): Map<string, VersionedRecord> {
  return new Map(found.map(({ _id, record, version }) => [idIn(_id), { record: recordOf(record), version }]));
}

// Only the registry writes this JSON, so it needs no validation.
function recordOf(text: string): OrderRecord {
  return JSON.parse(text) as OrderRecord;
}
