import type { ClientSession, Filter, FindCursor } from "mongodb";
import { emailKey } from "#shared/email/email-address.ts";
import type { Certificate } from "../certificates/certificate.ts";
import type { CertificateFeed, ListFilter, StoreAtNow } from "../certificates/list-certificates.ts";
import { certificateOf } from "./certificate-documents.ts";
import type { Collections } from "./collections.ts";
import { databaseError } from "./database-error.ts";
import type { DatabaseTime } from "./database-time.ts";
import type { CertificateDocument, StoreDocument } from "./documents.ts";
import type { ReadSnapshot } from "./read-snapshot.ts";
import { settleExpired } from "./settle-expired.ts";
import { storeOf } from "./store-documents.ts";

const timeLimitMs = 4_000;

/** The list's reads. */
export class MongoFeed implements CertificateFeed {
  readonly #collections: Pick<Collections, "stores" | "certificates">;
  readonly #readSnapshot: ReadSnapshot;
  readonly #databaseTime: DatabaseTime;

  constructor(
    collections: Pick<Collections, "stores" | "certificates">,
    readSnapshot: ReadSnapshot,
    databaseTime: DatabaseTime = () => "$$NOW",
  ) {
    this.#collections = collections;
    this.#readSnapshot = readSnapshot;
    this.#databaseTime = databaseTime;
  }

  async findStore(storeId: string): Promise<StoreAtNow | undefined> {
    try {
      const [document] = await this.#collections.stores
        .aggregate<StoreDocument & { readonly now: Date }>(
          [{ $match: { _id: storeId } }, { $set: { now: this.#databaseTime() } }],
          { maxTimeMS: timeLimitMs },
        )
        .toArray();
      return document === undefined ? undefined : { store: storeOf(document), now: document.now };
    } catch (error) {
      throw databaseError(error);
    }
  }

  async readFeed(storeId: string, filter: ListFilter, countMax: number, now: Date): Promise<Certificate[]> {
    const { certificates } = this.#collections;
    try {
      if (filter.status === "active" || filter.status === "expired")
        await settleExpired(certificates, storeId, now, timeLimitMs);
      const documents = await this.#readSnapshot((session) =>
        feedCursor(certificates, storeId, filter, countMax, now, session).toArray(),
      );
      return documents.map(certificateOf);
    } catch (error) {
      throw databaseError(error);
    }
  }
}

/**
 * The query of a page. It is read as of one point in time: were the later of two changes shown without the earlier one, a
 * client would never ask for that again.
 */
export function feedCursor(
  certificates: Collections["certificates"],
  storeId: string,
  filter: ListFilter,
  countMax: number,
  now: Date,
  session?: ClientSession,
): FindCursor<CertificateDocument> {
  const options = { maxTimeMS: timeLimitMs, ...(session && { session }) };
  const found = certificates.find(feedFilter(storeId, filter, now), options).limit(countMax);
  // A serial number is one certificate's: there is nothing to sort, and no index for it.
  return filter.serial === undefined ? found.sort({ updatedAt: 1 }) : found;
}

function feedFilter(storeId: string, filter: ListFilter, now: Date): Filter<CertificateDocument> {
  return {
    store: storeId,
    ...(filter.changedAfter === undefined ? {} : { updatedAt: { $gt: filter.changedAfter } }),
    ...(filter.email === undefined ? {} : { ownerEmailKey: emailKey(filter.email) }),
    ...(filter.orderName === undefined ? {} : { "order.name": filter.orderName }),
    ...(filter.orderId === undefined ? {} : { "order.id": filter.orderId }),
    ...(filter.serial === undefined ? {} : { serial: filter.serial }),
    ...(filter.status === undefined ? {} : { status: filter.status }),
    // One that was written after what is past its date was settled.
    ...(filter.status === "active" ? { $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] } : {}),
  };
}
