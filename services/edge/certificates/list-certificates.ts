import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { EdgeMiddleware } from "../http/edge-context.ts";
import { jsonType } from "../http/error-document.ts";
import { admittedStore } from "../middleware/admission.ts";
import type { RegistryClient } from "../registry-client/registry-client.ts";
import type { CursorCodec } from "./cursor.ts";
import { parseListQuery } from "./list-query.ts";
import { listReplyBody } from "./list-reply.ts";
import { listRequest } from "./list-request.ts";

/** Dependencies of {@link listCertificates}. */
export interface ListCertificatesDeps {
  readonly registry: RegistryClient;
  readonly cursors: CursorCodec;
}

/**
 * Handles `GET /v1/certificates` of an admitted request (INTERFACE.md §4.1).
 *
 * @throws ServiceError bad_request naming a parameter; `unavailable` when the registry is unreachable
 */
export function listCertificates(deps: ListCertificatesDeps): EdgeMiddleware {
  return async (ctx) => {
    const storeId = admittedStore(ctx);
    const query = parseListQuery(ctx.state.target.rawQuery);
    const scope = { storeId, filters: query.filters };
    const afterMs = query.cursor === undefined ? undefined : deps.cursors.decode(query.cursor, scope);
    const page = await deps.registry.listCertificates(
      listRequest(storeId, query, afterMs),
      ctx.state.requestId,
    );
    const next = page.next === undefined ? undefined : deps.cursors.encode(timestampMs(page.next), scope);
    ctx.status = 200;
    ctx.set("Content-Type", jsonType);
    ctx.body = listReplyBody(page.certificates, next);
  };
}
