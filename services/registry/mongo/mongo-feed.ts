import type { Filter } from "mongodb";
import { emailKey } from "#shared/email/email-address.ts";
import type { Certificate } from "../certificates/certificate.ts";
import type { CertificateFeed, ListFilter } from "../certificates/list-certificates.ts";
import type { Store } from "../stores/store.ts";
import { certificateOf } from "./certificate-documents.ts";
import type { Collections } from "./collections.ts";
import { databaseError } from "./database-error.ts";
import type { CertificateDocument } from "./documents.ts";
import { storeOf } from "./store-documents.ts";

const timeLimitMs = 4_000;

/**
 * The list's reads. A page is read as of one point in time, whatever index serves it: a read that goes on while two changes
 * are committed could otherwise show the later one without the earlier one, and a client would never ask for that again.
 */
export class MongoFeed implements CertificateFeed {
  readonly #collections: Pick<Collections, "stores" | "certificates">;

  constructor(collections: Pick<Collections, "stores" | "certificates">) {
    this.#collections = collections;
  }

  async findStore(storeId: string): Promise<Store | undefined> {
    try {
      const document = await this.#collections.stores.findOne({ _id: storeId }, { maxTimeMS: timeLimitMs });
      return document === null ? undefined : storeOf(document);
    } catch (error) {
      throw databaseError(error);
    }
  }

  async readFeed(storeId: string, filter: ListFilter, countMax: number, now: Date): Promise<Certificate[]> {
    try {
      const documents = await this.#collections.certificates
        .find(feedFilter(storeId, filter, now), {
          maxTimeMS: timeLimitMs,
          readConcern: { level: "snapshot" },
        })
        .sort({ updatedAt: 1 })
        .limit(countMax)
        .toArray();
      return documents.map(certificateOf);
    } catch (error) {
      throw databaseError(error);
    }
  }
}

/** The query for a list's filter; `now` decides what has expired. */
export function feedFilter(storeId: string, filter: ListFilter, now: Date): Filter<CertificateDocument> {
  return {
    store: storeId,
    ...(filter.changedAfter === undefined ? {} : { updatedAt: { $gt: filter.changedAfter } }),
    ...(filter.email === undefined ? {} : { ownerEmailKey: emailKey(filter.email) }),
    ...(filter.orderName === undefined ? {} : { "order.name": filter.orderName }),
    ...(filter.orderId === undefined ? {} : { "order.id": filter.orderId }),
    ...(filter.serial === undefined ? {} : { serial: filter.serial }),
    ...statusFilter(filter.status, now),
  };
}

function statusFilter(status: ListFilter["status"], now: Date): Filter<CertificateDocument> {
  switch (status) {
    case undefined:
      return {};
    case "revoked":
      return { status: "revoked" };
    case "expired":
      return { status: "active", expiresAt: { $ne: null, $lte: now } };
    case "active":
      return { status: "active", $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] };
  }
}
