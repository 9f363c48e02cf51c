import { StatusFilter } from "#gen/registry/v1/edge_service_pb.js";
import { queryBytesMax, queryTooLong } from "../http/query-refusals.ts";
import { parseQueryPairs } from "./query-pairs.ts";
import {
  type OrderFilter,
  pageSize,
  parseEmail,
  parseLimit,
  parseOrder,
  parseSerial,
  parseStatus,
  parseUpdatedSince,
} from "./query-values.ts";

/** Which certificates a list shows: everything in the query but `limit` and `cursor`. */
export interface ListFilters {
  readonly email?: string;
  readonly order?: OrderFilter;
  /** Digits without leading zeros. */
  readonly serial?: string;
  /** UNSPECIFIED shows all of them. */
  readonly status: StatusFilter;
  /** Milliseconds since the Unix epoch; only certificates changed after it. */
  readonly updatedSinceMs?: number;
}

/** A list request as the caller wrote it (INTERFACE.md §4.1). */
export interface ListQuery {
  readonly filters: ListFilters;
  /** Certificates at the most, 1 to 100. */
  readonly limit: number;
  /** Where the page begins, not yet verified. */
  readonly cursor?: string;
}

/** The list's parameters; there are no others. */
export const parameterNames = [
  "email",
  "order",
  "serial",
  "status",
  "updated_since",
  "limit",
  "cursor",
] as const;

/** One of them. */
export type ParameterName = (typeof parameterNames)[number];

/**
 * Reads the list's query.
 *
 * @param rawQuery what follows the question mark, still percent-encoded
 * @throws ServiceError bad_request whose message names the parameter, or `query` for the query as a whole
 */
export function parseListQuery(rawQuery: string): ListQuery {
  // Node hands over one character for each byte.
  if (rawQuery.length > queryBytesMax) throw queryTooLong();
  const pairs = parseQueryPairs(rawQuery, parameterNames);
  const read = <T>(name: ParameterName, parse: (value: string) => T): T | undefined => {
    const value = pairs.get(name);
    return value === undefined ? undefined : parse(value);
  };
  const email = read("email", parseEmail);
  const order = read("order", parseOrder);
  const serial = read("serial", parseSerial);
  const updatedSinceMs = read("updated_since", parseUpdatedSince);
  const cursor = pairs.get("cursor");
  return {
    filters: {
      ...(email === undefined ? {} : { email }),
      ...(order === undefined ? {} : { order }),
      ...(serial === undefined ? {} : { serial }),
      status: read("status", parseStatus) ?? StatusFilter.UNSPECIFIED,
      ...(updatedSinceMs === undefined ? {} : { updatedSinceMs }),
    },
    limit: read("limit", parseLimit) ?? pageSize.default,
    ...(cursor === undefined ? {} : { cursor }),
  };
}
