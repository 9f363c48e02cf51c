import type { MessageInitShape } from "@bufbuild/protobuf";
import { type CallOptions, createClient } from "@connectrpc/connect";
import {
  type AdmitResponse,
  EdgeService,
  type ListCertificatesRequestSchema,
  type ListCertificatesResponse,
} from "#gen/registry/v1/edge_service_pb.js";
import { createGrpcClient } from "#shared/rpc/grpc-client.ts";
import { registryFailure } from "./registry-failure.ts";

/** Asks for one page: the fields of the proto message that are not left out. */
export type ListRequest = MessageInitShape<typeof ListCertificatesRequestSchema>;

/**
 * What the edge may ask of the registry: it has no method that changes a certificate. Failures are ServiceErrors:
 * `unavailable`, `bad_request` naming a parameter, or `internal`.
 */
export interface RegistryClient {
  /**
   * Decides whether a request may go on; an admitted one uses up a place of the store's limit.
   *
   * @param keySha256 32 bytes
   */
  admit(keySha256: Uint8Array, requestId: string): Promise<AdmitResponse>;
  /** One page of a store's certificates. */
  listCertificates(request: ListRequest, requestId: string): Promise<ListCertificatesResponse>;
}

/** A client and the way to close it. */
export interface RegistryConnection extends RegistryClient {
  close(): void;
}

/** Where the registry is and how long a call to it may take, in milliseconds. */
export interface RegistryOptions {
  readonly address: string;
  readonly timeoutMs: number;
}

/** Makes the client. It connects when it is first used, and again whenever the connection is lost. */
export function connectRegistry(options: RegistryOptions): RegistryConnection {
  const transport = createGrpcClient(options);
  const client = createClient(EdgeService, transport);
  return {
    admit: (keySha256, requestId) => orFailure(client.admit({ keySha256 }, carrying(requestId))),
    listCertificates: (request, requestId) =>
      orFailure(client.listCertificates(request, carrying(requestId))),
    close: () => transport.close(),
  };
}

function carrying(requestId: string): CallOptions {
  return { headers: { "x-request-id": requestId } };
}

async function orFailure<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw registryFailure(error);
  }
}
