import type { MessageInitShape } from "@bufbuild/protobuf";
import { type CallOptions, createClient } from "@connectrpc/connect";
import {
  type AdmitResponse,
  EdgeService,
  type ListCertificatesRequestSchema,
  type ListCertificatesResponse,
} from "#gen/registry/v1/edge_service_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { createGrpcClient, type GrpcClientOptions } from "#shared/rpc/grpc-client.ts";

/** The request for one page; omitted fields have their default. */
export type ListRequest = MessageInitShape<typeof ListCertificatesRequestSchema>;

/**
 * The part of the registry's API that the edge uses; it cannot change certificates. Calls fail with a ServiceError:
 * `unavailable`, `bad_request` naming a parameter, or `internal`.
 */
export interface RegistryClient {
  /** Admits or refuses a request. An admitted request counts towards the store's rate limit. */
  admit(keySha256: Uint8Array, requestId: string): Promise<AdmitResponse>;
  listCertificates(request: ListRequest, requestId: string): Promise<ListCertificatesResponse>;
}

/** Creates a client that connects on first use and reconnects after losing its connection. */
export function connectRegistry(options: GrpcClientOptions): RegistryClient & { close(): void } {
  const transport = createGrpcClient(options);
  const client = createClient(EdgeService, transport);
  return {
    admit: (keySha256, requestId) => client.admit({ keySha256 }, withRequestId(requestId)).catch(throwRegistryFailure),
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

/**
 * Converts a failed registry call to the error for the API client. Only `unavailable` and a `bad_request` with a field
 * concern the client. Every other failure is a fault between the services, such as a method that an older registry
 * lacks or a response that is too large; its gRPC status must not become 401, 405 or 429.
 */
export function registryFailure(error: unknown): ServiceError {
  const failure = toServiceError(error);
  if (failure.code === "unavailable") return failure;
  if (failure.code === "bad_request" && failure.field !== undefined) return failure;
  return new ServiceError("internal", "the registry call failed", { cause: error });
}
