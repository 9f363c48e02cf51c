import { badRequest, type ServiceError } from "#shared/errors/service-error.ts";

/** A position in a log that is ordered by time and, within a millisecond, by id. */
export interface LogPlace {
  readonly at: Date;
  readonly id: string;
}

/** Encodes a place as an opaque page token, which reveals nothing that the page does not show; undefined as "". */
export function tokenOf(place: LogPlace | undefined): string {
  return place === undefined ? "" : Buffer.from(`${place.at.getTime()} ${place.id}`).toString("base64url");
}

/** Decodes a page token, "" as undefined. @throws ServiceError `bad_request` naming `page_token` */
export function placeAfter(token: string): LogPlace | undefined {
  if (token === "") return undefined;
  const [, ms, id] = /^(\d{1,15}) (.+)$/s.exec(Buffer.from(token, "base64url").toString()) ?? [];
  if (ms === undefined || id === undefined) throw unknownPage();
  return { at: new Date(Number(ms)), id };
}

/** Returns the error for a token that no page of the list has returned. */
export function unknownPage(): ServiceError {
  return badRequest("page_token", "is not a next_page_token of this list");
}

/**
 * Makes a page of at most `countMax` entries from the first `countMax + 1` that were found: the extra entry shows
 * whether there is a next page, which starts after `next`.
 */
export function pageOf<T, P>(found: readonly T[], countMax: number, placeOf: (last: T) => P) {
  const entries = found.slice(0, countMax);
  const last = found.length > countMax ? entries.at(-1) : undefined;
  return { entries, next: last && placeOf(last) };
}
