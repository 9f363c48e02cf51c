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
  readonly email?: string;
  readonly order?: OrderFilter;
  /** Digits without leading zeros. */
  readonly serial?: string;
  /** UNSPECIFIED: all. */
  readonly status: StatusFilter;
  /** Milliseconds since the Unix epoch; exclusive. */
  readonly updatedSinceMs?: number;
}

/** A parsed list request (INTERFACE.md §4.1). */
export interface ListQuery {
  readonly filters: ListFilters;
  /** 1 to 100. */
  readonly limit: number;
  /** Not yet verified. */
  readonly cursor?: string;
}

/** The names of all list parameters. */
export const parameterNames = [
  "email",
  "order",
  "serial",
  "status",
  "updated_since",
  "limit",
  "cursor",
] as const;

/** The name of a list parameter. */
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
  const email = parsed("email", parseEmail);
  const order = parsed("order", parseOrder);
  const serial = parsed("serial", parseSerial);
  const updatedSinceMs = parsed("updated_since", parseUpdatedSince);
  const cursor = values.get("cursor");
  return {
    filters: {
      ...(email === undefined ? {} : { email }),
      ...(order === undefined ? {} : { order }),
      ...(serial === undefined ? {} : { serial }),
      status: parsed("status", parseStatus) ?? StatusFilter.UNSPECIFIED,
      ...(updatedSinceMs === undefined ? {} : { updatedSinceMs }),
    },
    limit: parsed("limit", parseLimit) ?? pageSize.default,
    ...(cursor === undefined ? {} : { cursor }),
  };
}
