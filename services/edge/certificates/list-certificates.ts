import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { ServiceError } from "#shared/errors/service-error.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";
import { jsonType } from "../http/error-document.ts";
import type { ListRequest } from "../registry-client/list-client.ts";
import { type CursorCodec, type CursorContent, invalidCursor, outdatedCursor } from "./cursor.ts";
import { type ListFilters, requireSameFilters } from "./list-filters.ts";
import { parseListQuery } from "./list-query.ts";
import type { SendListRequest } from "./list-request.ts";
import type { OrderFilter } from "./query-values.ts";

/** The path of the certificate list (INTERFACE.md §4.1). */
export const listPath = "/v1/certificates";

/**
 * Handles `GET /v1/certificates` (INTERFACE.md §4.1). One call to the registry admits the request and reads the page. A
 * request with an invalid query is rejected only after the registry has admitted it, so that it counts towards the rate
 * limit.
 *
 * @throws ServiceError for a request that is not admitted; `bad_request` naming the invalid parameter; `unavailable`
 * when the registry cannot be reached or does not respond in time
 */
export function listCertificates(send: SendListRequest, cursors: CursorCodec): EdgeMiddleware {
  return async (ctx) => {
    const { cursor, query, refusal } = parseRequest(ctx.state.target.rawQuery, cursors);
    const response = await send(ctx, query === undefined ? {} : { page: pageMessage(query) });
    const { storeId, epoch } = response;
    // Checked after the call, because only the response states the key's store. Checked before an invalid query is
    // rejected, because an error about a filter would reveal whether the filter matches that of another store's cursor.
    if (cursor !== undefined && cursor.storeId !== storeId) throw invalidCursor();
    if (cursor !== undefined && cursor.epoch !== epoch) throw outdatedCursor();
    if (query === undefined) throw refusal;
    if (response.page === undefined) throw new Error("the registry admitted the request but returned no page");
    const { json, next } = response.page;
    ctx.status = 200;
    ctx.set("Content-Type", jsonType);
    ctx.set("X-Feed-Epoch", epoch);
    ctx.state.bodyParts = listBody(
      json,
      next && cursors.encode({ storeId, positionMs: timestampMs(next), filters: query.filters, epoch }),
    );
  };
}

interface PageQuery {
  readonly filters: ListFilters;
  readonly limit: number;
  /** The position from the cursor, in milliseconds since the Unix epoch; undefined for the first page. */
  readonly afterMs: number | undefined;
}

type ParsedRequest = {
  /** The decoded cursor, if any; undefined if a parameter cannot be parsed or the cursor cannot be decoded. */
  readonly cursor?: CursorContent | undefined;
} & (
  | { readonly query: PageQuery; readonly refusal?: undefined }
  | { readonly query?: undefined; readonly refusal: ServiceError }
);

function parseRequest(rawQuery: string, cursors: CursorCodec): ParsedRequest {
  let cursor: CursorContent | undefined;
  try {
    const sent = parseListQuery(rawQuery);
    if (sent.cursor !== undefined) cursor = cursors.decode(sent.cursor);
    if (cursor !== undefined && sent.hasFilters) requireSameFilters(sent.filters, cursor.filters);
    const { filters } = cursor ?? sent;
    return { cursor, query: { filters, limit: sent.limit, afterMs: cursor?.positionMs } };
  } catch (error) {
    if (error instanceof ServiceError) return { cursor, refusal: error };
    throw error;
  }
}

/** Converts a page query to the `page` field of the registry request. */
export function pageMessage({ filters, limit, afterMs }: PageQuery): NonNullable<ListRequest["page"]> {
  const { email, order, serial, status, updatedSinceMs } = filters;
  return {
    ...(email === undefined ? {} : { email }),
    ...(order === undefined ? {} : { order: orderField(order) }),
    ...(serial === undefined ? {} : { serial }),
    status,
    ...(updatedSinceMs === undefined ? {} : { updatedSince: timestampFromMs(updatedSinceMs) }),
    ...(afterMs === undefined ? {} : { after: timestampFromMs(afterMs) }),
    limit,
  };
}

function orderField({ kind, value }: OrderFilter) {
  return kind === "name" ? { case: "orderName" as const, value } : { case: "orderId" as const, value };
}

const bodyStart = Buffer.from('{"certificates":[');

/**
 * Returns the UTF-8 body of a page, in parts (INTERFACE.md §2.6).
 *
 * @param json the certificates' public JSON as the registry rendered it, joined by commas
 */
export function listBody(json: Uint8Array, nextCursor: string | undefined): readonly Uint8Array[] {
  return [bodyStart, json, Buffer.from(`],"next_cursor":${JSON.stringify(nextCursor ?? null)}}`)];
}
