import type { Filter, FindCursor, FindOptions } from "mongodb";
import { emailKey } from "#shared/email/email-address.ts";
import type { ListFilter } from "../../certificates/list-certificates.ts";
import type { Collections } from "../documents/collections.ts";
import type { CertificateDocument } from "../documents/documents.ts";

/** The query for a page of the list, as fields of a `find` command. */
export interface FeedQueryFields {
  readonly filter: Filter<CertificateDocument>;
  readonly sort?: { readonly updatedAt: 1 | -1 };
  readonly limit: number;
}

/**
 * Returns the query for a page of the list. Run it on a snapshot: a page that showed the later of two changes without
 * the earlier one would make clients skip the earlier one permanently.
 *
 * @param isSettled whether the status `expired` is stored for all expired certificates. If not, a query for expired
 * certificates also finds those still stored as active: a client that misses one would never see it, because storing
 * the status does not move the certificate in the list.
 */
export function feedQuery(
  storeId: string,
  filter: ListFilter,
  countMax: number,
  now: Date,
  isSettled = true,
): FeedQueryFields {
  const stored = feedFilter(storeId, filter, now);
  const due = { ...stored, status: "active", expiresAt: { $lte: now } } as const;
  const query = filter.status === "expired" && !isSettled ? { $or: [stored, due] } : stored;
  // An id or a serial number matches at most one certificate: sorting is unnecessary, and their indexes do not provide
  // this order.
  const isForOne = filter.certificateId !== undefined || filter.serial !== undefined;
  const sort = { updatedAt: filter.newestBefore === undefined ? 1 : -1 } as const;
  return { filter: query, ...(!isForOne && { sort }), limit: countMax };
}

/** Returns a cursor for a {@link feedQuery}. The options must select a snapshot, except to explain the query. */
export function feedCursor(
  certificates: Collections["certificates"],
  { filter, sort, limit }: FeedQueryFields,
  options: FindOptions = {},
): FindCursor<CertificateDocument> {
  return certificates.find<CertificateDocument>(filter, { ...options, ...(sort && { sort }), limit });
}

function feedFilter(storeId: string, filter: ListFilter, now: Date): Filter<CertificateDocument> {
  const { certificateId, email, order, serial, status, changedAfter, newestBefore } = filter;
  return {
    store: storeId,
    ...(certificateId === undefined ? {} : { _id: certificateId }),
    ...(changedAfter && { updatedAt: { $gt: changedAfter } }),
    ...(newestBefore && { updatedAt: { $lt: newestBefore } }),
    ...(email === undefined ? {} : { ownerEmailKey: emailKey(email) }),
    ...(order?.case === "orderName" && { "order.name": order.value }),
    ...(order?.case === "orderId" && { "order.id": order.value }),
    ...(serial && { serial }),
    ...(status && { status }),
    // Excludes expired certificates whose status is still stored as active, for example because settleExpired ran out
    // of time.
    ...(status === "active" && { $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] }),
  };
}
