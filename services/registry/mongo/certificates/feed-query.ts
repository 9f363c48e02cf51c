import type { Filter, FindCursor, FindOptions } from "mongodb";
import { emailKey } from "#shared/email/email-address.ts";
import type { ListFilter, SearchPlan } from "../../certificates/list-certificates.ts";
import type { Collections } from "../documents/collections.ts";
import type { CertificateDocument } from "../documents/documents.ts";
import { searchFilter, updatedBetween } from "./plan-search.ts";

/** The query for a page of the list, as fields of a `find` command. */
export interface FeedQueryFields {
  readonly filter: Filter<CertificateDocument>;
  readonly sort?: { readonly updatedAt: 1 | -1 };
  /** The index to use; by default, the database decides. */
  readonly hint?: string;
  readonly limit: number;
}

/**
 * Returns the query for a page of the list. Run it on a snapshot: a page that showed the later of two changes without
 * the earlier one would make clients skip the earlier one permanently.
 *
 * @param options `plan`: of the search that the certificates must match. `isSettled`: whether the status `expired` is
 * stored for all expired certificates. If not, a query for expired certificates also finds those still stored as
 * active: a client that misses one would never see it, because storing the status does not move the certificate in
 * the list.
 */
export function feedQuery(
  storeId: string,
  filter: ListFilter,
  countMax: number,
  now: Date,
  { isSettled = true, plan }: { readonly isSettled?: boolean; readonly plan?: SearchPlan | undefined } = {},
): FeedQueryFields {
  const stored = feedFilter(storeId, filter, now, plan);
  const due = { ...stored, status: "active", expiresAt: { $lte: now } } as const;
  const query = filter.status === "expired" && !isSettled ? { $or: [stored, due] } : stored;
  // An id or a serial number matches at most one certificate: sorting is unnecessary, and their indexes do not provide
  // this order.
  const isForOne = filter.certificateId !== undefined || filter.serial !== undefined;
  const sort = { updatedAt: filter.newestBefore === undefined ? 1 : -1 } as const;
  const hint = plan && (plan.isByWord ? "words" : "feed");
  return { filter: query, ...(!isForOne && { sort }), ...(hint && { hint }), limit: countMax };
}

/** Returns a cursor for a {@link feedQuery}. The options must select a snapshot, except to explain the query. */
export function feedCursor(
  certificates: Collections["certificates"],
  { filter, sort, hint, limit }: FeedQueryFields,
  options: FindOptions = {},
): FindCursor<CertificateDocument> {
  return certificates.find<CertificateDocument>(filter, {
    ...options,
    ...(sort && { sort }),
    ...(hint && { hint }),
    limit,
  });
}

function feedFilter(
  storeId: string,
  filter: ListFilter,
  now: Date,
  plan: SearchPlan | undefined,
): Filter<CertificateDocument> {
  const { certificateId, email, order, serial, status } = filter;
  return {
    store: storeId,
    ...(certificateId === undefined ? {} : { _id: certificateId }),
    ...updatedBetween(filter, plan?.end),
    ...(email === undefined ? {} : { ownerEmailKey: emailKey(email) }),
    ...(order?.case === "orderName" && { "order.name": order.value }),
    ...(order?.case === "orderId" && { "order.id": order.value }),
    ...(plan && searchFilter(plan.search)),
    ...(serial && { serial }),
    ...(status && { status }),
    // Excludes expired certificates whose status is still stored as active, for example because settleExpired ran out
    // of time.
    ...(status === "active" && { $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] }),
  };
}
