import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { EdgeMiddleware } from "../http/edge-context.ts";
import { jsonType } from "../http/error-document.ts";
import { admittedStore } from "../middleware/admission.ts";
import type { ListRequest, RegistryClient } from "../registry-client/registry-client.ts";
import type { CursorCodec } from "./cursor.ts";
import { type ListQuery, parseListQuery } from "./list-query.ts";
import type { OrderFilter } from "./query-values.ts";

interface ListCertificatesDeps {
  readonly registry: RegistryClient;
  readonly cursors: CursorCodec;
}

/**
 * Handles an admitted request for `GET /v1/certificates` (INTERFACE.md §4.1).
 *
 * @throws ServiceError bad_request naming the invalid parameter; `unavailable` when the registry cannot be reached
 */
export function listCertificates({ registry, cursors }: ListCertificatesDeps): EdgeMiddleware {
  return async (ctx) => {
    const storeId = admittedStore(ctx);
    const query = parseListQuery(ctx.state.target.rawQuery);
    const scope = { storeId, filters: query.filters };
    const afterMs = query.cursor === undefined ? undefined : cursors.decode(query.cursor, scope);
    const page = await registry.listCertificates(listRequest(storeId, query, afterMs), ctx.state.requestId);
    const next = page.next === undefined ? undefined : cursors.encode(timestampMs(page.next), scope);
    ctx.status = 200;
    ctx.set("Content-Type", jsonType);
    ctx.body = listBody(page.certificates, next);
  };
}

/**
 * Builds the registry request for a parsed query.
 *
 * @param afterMs the position from the cursor, in milliseconds since the Unix epoch; undefined for the first page
 */
export function listRequest(storeId: string, query: ListQuery, afterMs: number | undefined): ListRequest {
  const { email, order, serial, status, updatedSinceMs } = query.filters;
  return {
    storeId,
    ...(email === undefined ? {} : { email }),
    ...(order === undefined ? {} : { order: orderField(order) }),
    ...(serial === undefined ? {} : { serial }),
    status,
    ...(updatedSinceMs === undefined ? {} : { updatedSince: timestampFromMs(updatedSinceMs) }),
    ...(afterMs === undefined ? {} : { after: timestampFromMs(afterMs) }),
    limit: query.limit,
  };
}

function orderField({ kind, value }: OrderFilter) {
  return kind === "name" ? { case: "orderName" as const, value } : { case: "orderId" as const, value };
}

/**
 * Builds the UTF-8 body of a page (INTERFACE.md §2.6). Copies the certificates as bytes, because only the registry
 * renders them.
 */
export function listBody(certificates: readonly Uint8Array[], nextCursor: string | undefined): Buffer {
  const comma = Buffer.from(",");
  const separated = certificates.flatMap((bytes, index) => (index === 0 ? [bytes] : [comma, bytes]));
  const end = Buffer.from(`],"next_cursor":${JSON.stringify(nextCursor ?? null)}}`);
  return Buffer.concat([Buffer.from('{"certificates":['), ...separated, end]);
}
