import type { ClientSession, Filter, FindCursor } from "mongodb";
import { emailKey } from "#shared/email/email-address.ts";
import type { Certificate } from "../certificates/certificate.ts";
import type { CertificateFeed, FeedQuery, ListFilter, StoreAtNow } from "../certificates/list-certificates.ts";
import type { Collections } from "./collections.ts";
import { certificateOf, storeOf } from "./convert-documents.ts";
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

  findStore(storeId: string, timeLimitMs: number): Promise<StoreAtNow | undefined> {
    return databaseCall(async () => {
      const [document] = await this.#collections.stores
        .aggregate<StoreDocument & { readonly now: Date }>(
          [{ $match: { _id: storeId } }, { $set: { now: this.#databaseTime() } }],
          { maxTimeMS: Math.min(timeLimitMs, operationTimeLimitMs) },
        )
        .toArray();
      return document && { store: storeOf(document), now: document.now };
    });
  }

  readFeed(storeId: string, { filter, countMax, now, remainingMs }: FeedQuery): Promise<Certificate[]> {
    const { certificates } = this.#collections;
    const limitMs = () => Math.min(remainingMs(), operationTimeLimitMs);
    return databaseCall(async () => {
      const isByExpiry = filter.status === "active" || filter.status === "expired";
      const isSettled = !isByExpiry || (await settleExpired(certificates, storeId, now, limitMs, this.#settleBudgetMs));
      return this.#readSnapshot((session) => {
        const options = { session, maxTimeMS: limitMs(), isSettled };
        return feedCursor(certificates, storeId, filter, countMax, now, options).map(certificateOf).toArray();
      }, limitMs);
    });
  }
}

interface FeedOptions {
  readonly session?: ClientSession;
  readonly maxTimeMS?: number;
  /**
   * Whether the status `expired` is stored for all expired certificates. Otherwise the query also finds those stored as
   * active, because a client never returns to a position of the list that it has passed. Default true.
   */
  readonly isSettled?: boolean;
}

/**
 * Returns the query for a page of the list. The session must read a snapshot: a page that showed the later of two
 * changes without the earlier one would make clients skip the earlier one permanently.
 */
export function feedCursor(
  certificates: Collections["certificates"],
  storeId: string,
  filter: ListFilter,
  countMax: number,
  now: Date,
  { isSettled = true, ...options }: FeedOptions = {},
): FindCursor<CertificateDocument> {
  const stored = feedFilter(storeId, filter, now);
  const due = { ...stored, status: "active", expiresAt: { $lte: now } } as const;
  const query = filter.status === "expired" && !isSettled ? { $or: [stored, due] } : stored;
  const found = certificates.find(query, options).limit(countMax);
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
