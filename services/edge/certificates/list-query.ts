import { queryBytesMax, queryTooLong } from "../http/query-errors.ts";
import { filterNames, type ListFilters, parseFilters } from "./list-filters.ts";
import { parseQueryString } from "./query-string.ts";
import { pageSize, parseLimit } from "./query-values.ts";

/** A parsed list request (INTERFACE.md §4.1). */
export interface ListQuery {
  readonly filters: ListFilters;
  /** Whether the query has a filter parameter. If not, the filters in its cursor, if any, apply. */
  readonly hasFilters: boolean;
  readonly limit: number;
  /** As sent by the client; not yet decoded. */
  readonly cursor?: string | undefined;
}

/** The query parameters of the list; any other parameter is rejected. */
export const parameterNames = [...filterNames, "limit", "cursor"] as const;

export type ParameterName = (typeof parameterNames)[number];

/**
 * Parses the query of a list request.
 *
 * @param rawQuery the part after the question mark, percent-encoded
 * @throws ServiceError bad_request naming the parameter at fault, or `query` for the query as a whole
 */
export function parseListQuery(rawQuery: string): ListQuery {
  requireShortQuery(rawQuery);
  const values = parseQueryString(rawQuery, parameterNames);
  const limit = values.get("limit");
  return {
    filters: parseFilters(values),
    hasFilters: filterNames.some((name) => values.has(name)),
    limit: limit === undefined ? pageSize.default : parseLimit(limit),
    cursor: values.get("cursor"),
  };
}

/** @throws ServiceError bad_request for a query over {@link queryBytesMax} */
export function requireShortQuery(rawQuery: string): void {
  // Node decodes the request target as Latin-1: one character is one byte.
  if (rawQuery.length > queryBytesMax) throw queryTooLong();
}
