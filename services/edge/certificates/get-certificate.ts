import type { HandleListResponse } from "#gen/registry/v1/edge_service_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import type { EdgeContext } from "../http/edge-context.ts";
import { jsonType } from "../http/error-document.ts";
import { requireShortQuery } from "./list-query.ts";
import type { SendListRequest } from "./list-request.ts";
import { parseQueryString } from "./query-string.ts";

const idPattern = /^crt_[0-9a-z]{24}$/;

/**
 * Handles `GET /v1/certificates/{id}` (INTERFACE.md §4.5). Like the list, one call to the registry admits the request
 * and reads the certificate. A text that cannot be an id is not sent to the registry.
 *
 * @throws ServiceError for a request that is not admitted; `bad_request` for a parameter; `not_found` if the key's
 * store has no certificate with this id; `unavailable` as for the list
 */
export function getCertificate(send: SendListRequest): (ctx: EdgeContext, id: string) => Promise<void> {
  return async (ctx, id) => {
    const refusal = refusalOf(id, ctx.state.target.rawQuery);
    // Rejected only after the admission, so that the request counts towards the rate limit.
    const response = await send(ctx, refusal === undefined ? { certificateId: id } : {});
    if (refusal !== undefined) throw refusal;
    ctx.state.bodyParts = [certificateIn(response)];
    ctx.status = 200;
    ctx.set("Content-Type", jsonType);
    ctx.set("X-Feed-Epoch", response.epoch);
  };
}

/** Returns why a request needs no read: it has a query, or a text that cannot be an id; undefined if neither. */
export function refusalOf(id: string, rawQuery: string): ServiceError | undefined {
  try {
    requireShortQuery(rawQuery);
    parseQueryString(rawQuery, []);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  return idPattern.test(id) ? undefined : unknownCertificate();
}

/**
 * Returns the JSON of the certificate in the response to an admitted request.
 *
 * @throws ServiceError `not_found`
 */
export function certificateIn({ page }: Pick<HandleListResponse, "page">): Uint8Array {
  if (page === undefined) throw new Error("the registry admitted the request but returned no page");
  if (page.json.length === 0) throw unknownCertificate();
  return page.json;
}

function unknownCertificate(): ServiceError {
  return new ServiceError(
    "not_found",
    "The store has no certificate with this id. Send an id that the list or a webhook message contains.",
  );
}
