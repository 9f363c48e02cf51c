import type { MessageInitShape } from "@bufbuild/protobuf";
import { type CallOptions, createClient } from "@connectrpc/connect";
import {
  type AdmitResponse,
  EdgeService,
  type ListCertificatesRequestSchema,
  type ListCertificatesResponse,
} from "#gen/registry/v1/edge_service_pb.js";
import { createGrpcClient, type GrpcClientOptions } from "#shared/rpc/grpc-client.ts";
import { registryFailure } from "./registry-failure.ts";

/** The request for one page; omitted fields have their default. */
export type ListRequest = MessageInitShape<typeof ListCertificatesRequestSchema>;

/**
 * The registry's API for the edge, which cannot change certificates. Calls fail with a ServiceError: `unavailable`,
 * `bad_request` naming a parameter, or `internal`.
 */
export interface RegistryClient {
  /** Admits or refuses a request. An admitted request counts towards the store's rate limit. */
  admit(keySha256: Uint8Array, requestId: string): Promise<AdmitResponse>;
  listCertificates(request: ListRequest, requestId: string): Promise<ListCertificatesResponse>;
}

/** Creates a closable client that connects on first use and reconnects after a lost connection. */
export function connectRegistry(options: GrpcClientOptions): RegistryClient & { close(): void } {
  const transport = createGrpcClient(options);
  const client = createClient(EdgeService, transport);
  return {
    admit: (keySha256, requestId) =>
      client.admit({ keySha256 }, withRequestId(requestId)).catch(throwRegistryFailure),
    listCertificates: (request, requestId) =>
      client.listCertificates(request, withRequestId(requestId)).catch(throwRegistryFailure),
    close: () => transport.close(),
  };
}

function withRequestId(requestId: string): CallOptions {
  return { headers: { "x-request-id": requestId } };
}

function throwRegistryFailure(error: unknown): never {
  throw registryFailure(error);
}
