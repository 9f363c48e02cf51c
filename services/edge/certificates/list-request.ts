import type { HandleListResponse } from "#gen/registry/v1/edge_service_pb.js";
import { randomBytesOf } from "#shared/keys/random-bytes.ts";
import type { EdgeContext } from "../http/edge-context.ts";
import type { Admit } from "../limits/admission.ts";
import type { ListClient, ListRequest } from "../registry-client/list-client.ts";

/** What an API request asks for: a page, one certificate, or nothing if it only counts towards the rate limit. */
type Asked = Pick<ListRequest, "page" | "certificateId">;

const admissionIdBytes = 16;

/**
 * Makes the registry call that admits an API request and reads what it asks for.
 *
 * @throws ServiceError for a request that is not admitted; `unavailable` when the registry cannot be reached or does
 * not respond in time
 */
export type SendListRequest = (ctx: EdgeContext, asked: Asked) => Promise<HandleListResponse>;

/** Creates a {@link SendListRequest}. */
export function listRequests(admit: Admit, registry: Pick<ListClient, "handleList">): SendListRequest {
  return (ctx, asked) =>
    admit(ctx, (keySha256, options) =>
      registry.handleList({ keySha256, admissionId: randomBytesOf(admissionIdBytes), ...asked }, options),
    );
}
