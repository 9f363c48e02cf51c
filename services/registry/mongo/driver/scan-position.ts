import type { Document } from "mongodb";
import { badRequest } from "#shared/errors/service-error.ts";
import { decodePlace, encodePlace, type OrderKeys } from "../../values/page-token.ts";

/** Returns the position after a page of a scan; undefined after the last page, which has fewer documents. */
export function positionAfter<T>(
  found: readonly T[],
  pageSize: number,
  keysOf: (last: T) => OrderKeys,
): string | undefined {
  const last = found.length < pageSize ? undefined : found.at(-1);
  return last && encodePlace(keysOf(last));
}

/**
 * Returns the filter for the documents after a position; without a position, for all documents.
 *
 * @param fields the fields by which the scan is ordered: one or two
 * @throws ServiceError `bad_request` naming `page_token` for a malformed position
 */
export function afterPosition(fields: readonly string[], position: string | undefined): Document {
  if (position === undefined) return {};
  const keys = decodePlace(position, fields.length);
  if (keys === undefined) throw badRequest("page_token", "is not valid");
  return beyond(fields, keys, "$gt");
}

/**
 * Returns the filter for the documents that follow a place in an order.
 *
 * @param fields the fields of the order: one or two
 * @param keys their values at the place
 * @param direction `$gt` for an ascending order, `$lt` for a descending one
 */
export function beyond(fields: readonly string[], keys: OrderKeys, direction: "$gt" | "$lt"): Document {
  const [major = "", minor] = fields;
  const [first, second] = keys;
  if (minor === undefined) return { [major]: { [direction]: first } };
  // The first condition, which the second implies, bounds the index scan.
  return {
    [major]: { [`${direction}e`]: first },
    $or: [{ [major]: { [direction]: first } }, { [major]: first, [minor]: { [direction]: second } }],
  };
}
