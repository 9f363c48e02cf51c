import { badRequest, type ServiceError } from "#shared/errors/service-error.ts";

/**
 * The maximum length of a raw query, in bytes. A longer query is rejected rather than truncated: truncation could cut
 * off a filter, and the list would then contain certificates that the client did not ask for.
 */
export const queryBytesMax = 2_048;

/** The error for a query over {@link queryBytesMax}; reported by the HTTP server or by the query parser. */
export function queryTooLong(): ServiceError {
  return badRequest("query", "is longer than 2,048 bytes. Send fewer or shorter parameters.");
}

/** The error for a byte that a URL cannot contain; reported by the HTTP server or by the query parser. */
export function notPercentEncoded(name: string): ServiceError {
  return badRequest(name, "contains an unencoded character. Percent-encode it as UTF-8; a space is %20.");
}
