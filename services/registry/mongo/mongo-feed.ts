import type { Document, Filter, FindCursor, FindOptions } from "mongodb";
import { emailKey } from "#shared/email/email-address.ts";
import type { CertificateFeed, FeedQuery, ListFilter, RenderContext } from "../certificates/list-certificates.ts";
import { type CertificateRow, rowOfCertificate } from "../certificates/page-json.ts";
import { rowFields, rowOf } from "./certificate-rows.ts";
import type { Collections } from "./collections.ts";
import { certificateOf } from "./convert-documents.ts";
import { databaseCall } from "./database-error.ts";
import type { DatabaseTime } from "./database-time.ts";
import type { CertificateDocument, StoreDocument } from "./documents.ts";
import type { ReadSnapshot } from "./read-snapshot.ts";
import { settleBudgetMs, settleExpired } from "./settle-expired.ts";
import { operationTimeLimitMs } from "./time-limits.ts";

/** Reads pages of the certificate list from MongoDB, each from one snapshot. */
export class MongoFeed implements CertificateFeed {
  readonly #collections: Pick<Collections, "stores" | "certificates">;
  readonly #readSnapshot: ReadSnapshot;
  readonly #databaseTime: DatabaseTime;
  readonly #settleBudgetMs: number;

  /** @param budgetMs how long a list by status may spend on storing expiries before it reads its page */
  constructor(
    collections: Pick<Collections, "stores" | "certificates">,
    readSnapshot: ReadSnapshot,
    databaseTime: DatabaseTime = () => "$$NOW",
    budgetMs = settleBudgetMs,
  ) {
    this.#collections = collections;
    this.#readSnapshot = readSnapshot;
    this.#databaseTime = databaseTime;
    this.#settleBudgetMs = budgetMs;
  }

  readRenderContext(storeId: string, timeLimitMs: number): Promise<RenderContext | undefined> {
    return databaseCall(async () => {
      const [document] = await this.#collections.stores
        .aggregate<Pick<StoreDocument, "settings"> & { readonly now: Date }>(
          [{ $match: { _id: storeId } }, { $project: { settings: 1, now: this.#databaseTime() } }],
          { maxTimeMS: Math.min(timeLimitMs, operationTimeLimitMs) },
        )
        .toArray();
      return document && { settings: document.settings, now: document.now };
    });
  }

  readRows(storeId: string, { filter, countMax, now, remainingMs }: FeedQuery): Promise<CertificateRow[]> {
    const { certificates } = this.#collections;
    const limitMs = () => Math.min(remainingMs(), operationTimeLimitMs);
    return databaseCall(async () => {
      const isByExpiry = filter.status === "active" || filter.status === "expired";
      const isSettled = !isByExpiry || (await settleExpired(certificates, storeId, now, limitMs, this.#settleBudgetMs));
      return this.#readSnapshot(async (snapshot) => {
        const read = <Shape extends Document>(options: FindOptions = {}) =>
          feedCursor<Shape>(certificates, storeId, filter, countMax, now, {
            ...{ ...snapshot, ...options },
            ...{ maxTimeMS: limitMs(), isSettled },
          }).toArray();
        const rows = (await read<Uint8Array>({ projection: rowFields, raw: true })).map(rowOf);
        if (rows.every((row) => row !== undefined)) return rows;
        // Certificates of an earlier version have no stored JSON. The whole page is read again, because a read of only
        // these certificates could see a later state than the rest of the page.
        return (await read<CertificateDocument>()).map((document) => rowOfCertificate(certificateOf(document)));
      }, limitMs);
    });
  }
}

interface FeedOptions extends FindOptions {
  /**
   * Whether the status `expired` is stored for all expired certificates. Otherwise the query also finds those stored as
   * active, because a client never returns to a position of the list that it has passed. Default true.
   */
  readonly isSettled?: boolean;
}

/**
 * Returns the query for a page of the list. The options must select a snapshot: a page that showed the later of two
 * changes without the earlier one would make clients skip the earlier one permanently.
 */
export function feedCursor<Shape extends Document = CertificateDocument>(
  certificates: Collections["certificates"],
  storeId: string,
  filter: ListFilter,
  countMax: number,
  now: Date,
  { isSettled = true, ...options }: FeedOptions = {},
): FindCursor<Shape> {
  const stored = feedFilter(storeId, filter, now);
  const due = { ...stored, status: "active", expiresAt: { $lte: now } } as const;
  const query = filter.status === "expired" && !isSettled ? { $or: [stored, due] } : stored;
  const found = certificates.find<Shape>(query, options).limit(countMax);
  // A serial number matches at most one certificate: sorting is unnecessary, and the index on serials does not provide
  // this order.
  return filter.serial === undefined ? found.sort({ updatedAt: 1 }) : found;
}

function feedFilter(storeId: string, filter: ListFilter, now: Date): Filter<CertificateDocument> {
  const { email, order, serial, status, changedAfter } = filter;
  return {
    store: storeId,
    ...(changedAfter && { updatedAt: { $gt: changedAfter } }),
    ...(email === undefined ? {} : { ownerEmailKey: emailKey(email) }),
    ...(order?.case === "orderName" && { "order.name": order.value }),
    ...(order?.case === "orderId" && { "order.id": order.value }),
    ...(serial && { serial }),
    ...(status && { status }),
    // Excludes a certificate that expired between settleExpired and this read.
    ...(status === "active" && { $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] }),
  };
}
