import { z } from "zod";
import { badRequest, type ServiceError } from "#shared/errors/service-error.ts";
import { parseJson } from "#shared/text/parse-json.ts";

/** The values of the fields that order a list or a scan, at one of its entries. */
export type OrderKeys = readonly (Date | string)[];

const latestTimeMs = 8_640_000_000_000_000;
const storedKeys = z.array(z.union([z.int().min(0).max(latestTimeMs), z.string().max(500)]));

/** Encodes the place after an entry as an opaque token, which reveals nothing that the entry does not show. */
export function encodePlace(keys: OrderKeys): string {
  const stored = keys.map((key) => (key instanceof Date ? key.getTime() : key));
  return Buffer.from(JSON.stringify(stored)).toString("base64url");
}

/** Decodes a place in an order by `count` fields; returns undefined for any other token. */
export function decodePlace(token: string, count: number): OrderKeys | undefined {
  const { data: stored } = storedKeys.safeParse(parseJson(Buffer.from(token, "base64url").toString()));
  return stored?.length === count ? stored.map((key) => (typeof key === "number" ? new Date(key) : key)) : undefined;
}

/** A position in a log that is ordered by time and, within a millisecond, by id. */
export interface LogPlace {
  readonly at: Date;
  readonly id: string;
}

/** Encodes a place in a log as a page token, undefined as "". */
export function tokenOf(place: LogPlace | undefined): string {
  return place === undefined ? "" : encodePlace([place.at, place.id]);
}

/** Decodes a page token, "" as undefined. @throws ServiceError `bad_request` naming `page_token` */
export function placeAfter(token: string): LogPlace | undefined {
  if (token === "") return undefined;
  const [at, id] = decodePlace(token, 2) ?? [];
  if (!(at instanceof Date) || typeof id !== "string" || id === "") throw unknownPage();
  return { at, id };
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
