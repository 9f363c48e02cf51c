import { randomBytes } from "node:crypto";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { ServiceError } from "#shared/errors/service-error.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";
import { jsonType } from "../http/error-document.ts";
import type { Admit } from "../middleware/admission.ts";
import type { ListRequest, RegistryClient } from "../registry-client/registry-client.ts";
import type { CursorCodec } from "./cursor.ts";
import { type ListQuery, parseListQuery } from "./list-query.ts";
import type { OrderFilter } from "./query-values.ts";

const admissionIdBytes = 16;

interface ListCertificatesDeps {
  readonly admit: Admit;
  readonly registry: RegistryClient;
  readonly cursors: CursorCodec;
}

/**
 * Handles `GET /v1/certificates` (INTERFACE.md §4.1). One call to the registry admits the request and reads the page. A
 * request with an invalid query is refused after its admission, because it counts against the rate limit.
 *
 * @throws ServiceError for a refused request; bad_request naming the invalid parameter; `unavailable` when the registry
 * does not answer in time
 */
export function listCertificates({ admit, registry, cursors }: ListCertificatesDeps): EdgeMiddleware {
  return async (ctx) => {
    const parsed = parseRequest(ctx.state.target.rawQuery, cursors);
    const page = "refusal" in parsed ? {} : { page: pageQuery(parsed.query, parsed.afterMs) };
    const response = await admit(ctx, (keySha256, options) =>
      registry.handleList({ keySha256, admissionId: randomBytes(admissionIdBytes), ...page }, options),
    );
    if ("refusal" in parsed) throw parsed.refusal;
    const { query } = parsed;
    const scope = { storeId: response.storeId, filters: query.filters };
    // The cursor cannot be verified before the call, because only the response names the store.
    if (query.cursor !== undefined) cursors.decode(query.cursor, scope);
    if (response.page === undefined) throw new Error("the registry admitted a request without a page");
    const { certificates, next } = response.page;
    ctx.status = 200;
    ctx.set("Content-Type", jsonType);
    ctx.body = listBody(certificates, next && cursors.encode(timestampMs(next), scope));
  };
}

type ParsedRequest =
  | { readonly query: ListQuery; readonly afterMs: number | undefined }
  | { readonly refusal: ServiceError };

/** Parses the query and its cursor without verifying the cursor. */
function parseRequest(rawQuery: string, cursors: CursorCodec): ParsedRequest {
  try {
    const query = parseListQuery(rawQuery);
    return { query, afterMs: query.cursor === undefined ? undefined : cursors.unverifiedPosition(query.cursor) };
  } catch (error) {
    if (error instanceof ServiceError) return { refusal: error };
    throw error;
  }
}

/**
 * Builds the registry's query for a page.
 *
 * @param afterMs the position from the cursor, in milliseconds since the Unix epoch; undefined for the first page
 */
export function pageQuery(query: ListQuery, afterMs: number | undefined): NonNullable<ListRequest["page"]> {
  const { email, order, serial, status, updatedSinceMs } = query.filters;
  return {
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
