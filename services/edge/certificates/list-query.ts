import { StatusFilter } from "#gen/registry/v1/edge_service_pb.js";
import { queryBytesMax, queryTooLong } from "../http/query-errors.ts";
import { parseQueryString } from "./query-string.ts";
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

/** The filters of a list: every parameter except `limit` and `cursor`. */
export interface ListFilters {
  readonly email?: string | undefined;
  readonly order?: OrderFilter | undefined;
  /** Digits without leading zeros. */
  readonly serial?: string | undefined;
  /** `UNSPECIFIED` matches every status. */
  readonly status: StatusFilter;
  /** Milliseconds since the Unix epoch; exclusive. */
  readonly updatedSinceMs?: number | undefined;
}

/** A parsed list request (INTERFACE.md §4.1). */
export interface ListQuery {
  readonly filters: ListFilters;
  readonly limit: number;
  /** As sent by the client; not yet verified. */
  readonly cursor?: string | undefined;
}

/** The query parameters of the list; any other parameter is rejected. */
export const parameterNames = ["email", "order", "serial", "status", "updated_since", "limit", "cursor"] as const;

export type ParameterName = (typeof parameterNames)[number];

/**
 * Parses the query of a list request.
 *
 * @param rawQuery the part after the question mark, percent-encoded
 * @throws ServiceError bad_request naming the parameter at fault, or `query` for the query as a whole
 */
export function parseListQuery(rawQuery: string): ListQuery {
  // Node decodes the request target as Latin-1: one character is one byte.
  if (rawQuery.length > queryBytesMax) throw queryTooLong();
  const values = parseQueryString(rawQuery, parameterNames);
  const parsed = <T>(name: ParameterName, parse: (value: string) => T): T | undefined => {
    const value = values.get(name);
    return value === undefined ? undefined : parse(value);
  };
  return {
    filters: {
      email: parsed("email", parseEmail),
      order: parsed("order", parseOrder),
      serial: parsed("serial", parseSerial),
      updatedSinceMs: parsed("updated_since", parseUpdatedSince),
      status: parsed("status", parseStatus) ?? StatusFilter.UNSPECIFIED,
    },
    limit: parsed("limit", parseLimit) ?? pageSize.default,
    cursor: values.get("cursor"),
  };
}
