import { badRequest, type ServiceError } from "#shared/errors/service-error.ts";

/**
 * How long a raw query may be, in bytes. A limit of our own: query parsers drop what is beyond theirs without a word,
 * and a filter must never vanish.
 */
export const queryBytesMax = 2_048;

/** The refusal of a longer query: by the HTTP parser or by the query's, whichever sees it first. */
export function queryTooLong(): ServiceError {
  return badRequest("query", "is longer than 2,048 bytes. Send fewer or shorter parameters.");
}

/** The refusal of a parameter with a byte that a URL cannot hold; by either parser, too. */
export function notEncoded(name: string): ServiceError {
  return badRequest(name, "must be UTF-8 in percent-encoding; a space is %20.");
}
