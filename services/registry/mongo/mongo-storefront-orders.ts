import { emailKey } from "#shared/email/email-address.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { Certificate } from "../certificates/certificate.ts";
import { emptyOrderRecord, type OrderRecord } from "../storefront/order-record.ts";
import type {
  DueOrder,
  FailedAttempt,
  OrderOutcome,
  StorefrontOrders,
  VersionedRecord,
} from "../storefront/storefront-storage.ts";
import type { Collections } from "./collections.ts";
import { certificateOf } from "./convert-documents.ts";
import { databaseCall } from "./database-error.ts";
import { failureUpdate } from "./mongo-storefront-inbox.ts";
import { wakeStorefront } from "./mongo-work-queue.ts";
import { platformIdOf, storefrontKey } from "./storefront-keys.ts";
import { operationTimeLimitMs } from "./time-limits.ts";
import { isDuplicateKey } from "./transient-error.ts";

const options = { maxTimeMS: operationTimeLimitMs };

/** Implements StorefrontOrders with MongoDB. */
export class MongoStorefrontOrders implements StorefrontOrders {
  readonly #collections: Pick<Collections, "storefrontOrders" | "storefronts" | "certificates">;
  readonly #clock: Clock;

  constructor(collections: Pick<Collections, "storefrontOrders" | "storefronts" | "certificates">, clock: Clock) {
    this.#collections = collections;
    this.#clock = clock;
  }

  read(storeId: string, orderIds: readonly string[]): Promise<ReadonlyMap<string, VersionedRecord>> {
    const ids = orderIds.map((id) => storefrontKey(storeId, id));
    return databaseCall(async () => {
      const found = await this.#collections.storefrontOrders.find({ _id: { $in: ids } }, options).toArray();
      const known = new Map(
        found.map(({ _id, record, version }) => [platformIdOf(_id), { record: recordOf(record), version }]),
      );
      return new Map(orderIds.map((id) => [id, known.get(id) ?? { record: emptyOrderRecord, version: 0 }]));
    });
  }

  async write(storeId: string, records: ReadonlyMap<string, VersionedRecord>): Promise<ReadonlySet<string>> {
    const conflicts = new Set<string>();
    // Concurrent, because a failed write must not keep the others from being written, nor be mistaken for them.
    await Promise.all(
      records.entries().map(async ([orderId, versioned]) => {
        if (!(await this.#writeOne(storeId, orderId, versioned))) conflicts.add(orderId);
      }),
    );
    return conflicts;
  }

  #writeOne(storeId: string, orderId: string, { record, version }: VersionedRecord): Promise<boolean> {
    const now = new Date(this.#clock.now());
    const { order } = record;
    const set = {
      ...{ store: storeId, name: order?.name ?? "", orderedAt: new Date(order?.createdAtMs ?? 0) },
      ...{ record: JSON.stringify(record), version: version + 1, changedAt: now, dueAt: now, attempts: 0 },
    };
    const _id = storefrontKey(storeId, orderId);
    const { storefrontOrders } = this.#collections;
    return databaseCall(async () => {
      try {
        if (version === 0) {
          await storefrontOrders.insertOne({ _id, ...set, notes: [], unmatchedProducts: [] }, options);
          return true;
        }
        const update = { $set: set, $unset: { failure: 1 as const } };
        const { matchedCount } = await storefrontOrders.updateOne({ _id, version }, update, options);
        return matchedCount === 1;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    });
  }

  takeDue(storeId: string, countMax: number): Promise<DueOrder[]> {
    const filter = { store: storeId, dueAt: { $lte: new Date(this.#clock.now()) } };
    return databaseCall(() =>
      this.#collections.storefrontOrders
        .find(filter, options)
        .sort({ dueAt: 1 })
        .limit(countMax)
        .map(({ _id, record, version, attempts }) => ({
          ...{ orderId: platformIdOf(_id), record: recordOf(record), version, attempts },
        }))
        .toArray(),
    );
  }

  async settle(
    storeId: string,
    done: readonly (OrderOutcome & Pick<DueOrder, "orderId" | "version">)[],
  ): Promise<void> {
    if (done.length === 0) return;
    const operations = done.map(({ orderId, version, notes, unmatchedProductIds }) => ({
      updateOne: {
        filter: { _id: storefrontKey(storeId, orderId), version },
        update: {
          $set: { notes: [...notes], unmatchedProducts: [...unmatchedProductIds], attempts: 0 },
          $unset: { dueAt: 1 as const, failure: 1 as const },
        },
      },
    }));
    await databaseCall(() => this.#collections.storefrontOrders.bulkWrite(operations, { ...options, ordered: false }));
  }

  async fail(
    storeId: string,
    { orderId, version }: Pick<DueOrder, "orderId" | "version">,
    attempt: FailedAttempt,
  ): Promise<void> {
    const filter = { _id: storefrontKey(storeId, orderId), version };
    await databaseCall(() => this.#collections.storefrontOrders.updateOne(filter, failureUpdate(attempt), options));
  }

  async touchSince(storeId: string, since: Date): Promise<void> {
    const { storefrontOrders, storefronts } = this.#collections;
    const now = new Date(this.#clock.now());
    await databaseCall(async () => {
      const filter = { store: storeId, orderedAt: { $gte: since } };
      const { matchedCount } = await storefrontOrders.updateMany(filter, {
        $set: { dueAt: now },
        $inc: { version: 1 },
      });
      if (matchedCount > 0) await wakeStorefront(storefronts, storeId, now);
    });
  }

  certificatesOf(storeId: string, orderIds: readonly string[]): Promise<Certificate[]> {
    const filter = { store: storeId, "order.id": { $in: [...orderIds] } };
    return databaseCall(() => this.#collections.certificates.find(filter, options).map(certificateOf).toArray());
  }

  certificatesOwnedBy(storeId: string, email: string): Promise<Certificate[]> {
    const filter = { store: storeId, ownerEmailKey: emailKey(email) };
    return databaseCall(() => this.#collections.certificates.find(filter, options).map(certificateOf).toArray());
  }
}

// Only this class has written the text.
function recordOf(text: string): OrderRecord {
  return JSON.parse(text) as OrderRecord;
}
