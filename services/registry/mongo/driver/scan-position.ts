import type { Document } from "mongodb";
import { z } from "zod";
import { badRequest } from "#shared/errors/service-error.ts";
import { parseJson } from "#shared/text/parse-json.ts";

/** A value by which a scan is ordered. */
export type ScanKey = Date | string;

const positions = z.array(z.union([z.int().nonnegative(), z.string().max(500)])).max(2);

/** Encodes the position after a document. @param values the document's values of the fields that order the scan */
export function encodePosition(values: readonly ScanKey[]): string {
  return JSON.stringify(values.map((value) => (value instanceof Date ? value.getTime() : value)));
}

/** Returns the position after a page of a scan; undefined after the last page, which has fewer documents. */
export function positionAfter<T>(
  found: readonly T[],
  pageSize: number,
  valuesOf: (last: T) => readonly ScanKey[],
): string | undefined {
  const last = found.length < pageSize ? undefined : found.at(-1);
  return last && encodePosition(valuesOf(last));
}

/**
 * Returns the filter for the documents after a position; without a position, for all documents.
 *
 * @param fields the fields by which the scan is ordered: one or two
 * @throws ServiceError `bad_request` naming `page_token` for a malformed position
 */
export function afterPosition(fields: readonly string[], position: string | undefined): Document {
  if (position === undefined) return {};
  return beyond(fields, decode(position, fields.length), "$gt");
}

/**
 * Returns the filter for the documents that follow a place in an order.
 *
 * @param fields the fields of the order: one or two
 * @param values their values at the place
 * @param direction `$gt` for an ascending order, `$lt` for a descending one
 */
export function beyond(fields: readonly string[], values: readonly ScanKey[], direction: "$gt" | "$lt"): Document {
  const [major = "", minor] = fields;
  const [first, second] = values;
  if (minor === undefined) return { [major]: { [direction]: first } };
  // The first condition, which the second implies, bounds the index scan.
  return {
    [major]: { [`${direction}e`]: first },
    $or: [{ [major]: { [direction]: first } }, { [major]: first, [minor]: { [direction]: second } }],
  };
}

function decode(position: string, count: number): readonly ScanKey[] {
  const values = positions.safeParse(parseJson(position));
  if (!values.success || values.data.length !== count) throw badRequest("page_token", "is not valid");
  return values.data.map((value) => (typeof value === "number" ? new Date(value) : value));
}
