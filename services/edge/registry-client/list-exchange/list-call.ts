import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandleListRequestSchema } from "#gen/registry/v1/edge_service_pb.js";
import type { RequestLimits } from "./pending-requests.ts";

/** A request for admission and, unless the client's query is invalid, for a page. */
export type ListRequest = MessageInitShape<typeof HandleListRequestSchema> & {
  readonly keySha256: Uint8Array;
  readonly admissionId: Uint8Array;
};

/** The limits of one request, and the `X-Request-Id` of its response. */
export interface CallOptions extends RequestLimits {
  readonly requestId: string;
}
